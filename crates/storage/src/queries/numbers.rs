use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error::DatabaseError},
};
use domain::fiscal::{NumberRange, Numbered};
use ports::{NumberError, NumberRequest, NumberStore, Unavailable};

use super::Store;
use crate::{
    failure::{Failure, unavailable},
    line::Taker,
    rows::{RangeRow, restore_number},
    schema::number_ranges,
    scope::Scope,
};

/// Who lost a race looks again; each round is lost to somebody who has won it.
const ROUNDS: usize = 32;

/// The numbers that revisions of documents have.
#[derive(Default)]
struct Given(HashMap<(String, i64), Numbered>);

impl Given {
    fn has(&self, request: &NumberRequest) -> bool {
        self.0.contains_key(&key(request))
    }

    /// The number that was asked for, or why there is none for whoever got none.
    fn told(&self, request: &NumberRequest, ended: &Result<(), NumberError>) -> Result<Numbered, NumberError> {
        match (self.0.get(&key(request)), ended) {
            (Some(numbered), _) => Ok(numbered.clone()),
            (None, Err(NumberError::Exhausted)) => Err(NumberError::Exhausted),
            (None, Err(NumberError::Expired)) => Err(NumberError::Expired),
            (None, Err(NumberError::Unavailable(error))) => Err(unavailable(error.source.to_string()).into()),
            (None, Ok(())) => Err(unavailable("a number was not told").into()),
        }
    }
}

fn key(request: &NumberRequest) -> (String, i64) {
    (request.document.to_string(), request.revision.into())
}

#[async_trait]
impl NumberStore for Store {
    async fn assign(&self, request: NumberRequest) -> Result<Numbered, NumberError> {
        let (told, taker) = self.lines.join(request);
        if let Some(taker) = taker {
            // On its own: whoever gives up waiting must not take along what others wait for.
            tokio::spawn(self.clone().take_for_all(taker));
        }
        told.await.map_err(|_| unavailable("whoever took numbers for all broke down"))?
    }
}

impl Store {
    /// Takes numbers for those in a line until nobody is left there. Whoever comes while a transaction is on its way to the
    /// disk is in the next: so many as wait share one, and hold one connection between them.
    async fn take_for_all(self, mut taker: Taker) {
        loop {
            let waiting = taker.next();
            if waiting.is_empty() {
                return;
            }
            let mut given = Given::default();
            let ended = self.number_together(waiting.iter().map(|it| it.request.clone()).collect(), &mut given).await;
            for it in waiting {
                // Whoever has gone meanwhile finds the number with its document.
                drop(it.answer.send(given.told(&it.request, &ended)));
            }
        }
    }

    /// Gives each of those its number: the one that its revision has, or the next of the oldest range that is usable. They are
    /// of one tenant, and want the same kind of number on the same day.
    async fn number_together(&self, mut asked: Vec<NumberRequest>, given: &mut Given) -> Result<(), NumberError> {
        let mut why = None;
        for _ in 0..ROUNDS {
            let rows = match self.give(&asked).await {
                Ok(rows) => rows,
                // Another process numbered one of these revisions meanwhile.
                Err(Failure::Database(DatabaseError(DatabaseErrorKind::UniqueViolation, _))) => {
                    why = None;
                    continue;
                }
                Err(Failure::Database(error)) => return Err(unavailable(error).into()),
                Err(Failure::Unavailable(error)) => return Err(error.into()),
                Err(Failure::Refused(_)) => return Err(unavailable("numbers were refused").into()),
            };
            let is_over = rows.is_empty();
            for (document, revision, number) in rows {
                given.0.insert((document, revision), restore_number(number).map_err(unavailable)?);
            }
            asked.retain(|it| !given.has(it));
            let Some(first) = asked.first() else { return Ok(()) };
            match why.filter(|_| is_over) {
                Some(why) => return Err(why),
                // Nobody was in between if there are none the next time either.
                None => why = judge(first, &self.ranges_for(first).await?).err(),
            }
        }
        Err(unavailable("other workers were always faster").into())
    }

    /// The ranges that it may get a number from, oldest first.
    async fn ranges_for(&self, request: &NumberRequest) -> Result<Vec<NumberRange>, Unavailable> {
        let ranges = number_ranges::table
            .filter(number_ranges::merchant.eq(request.tenant.merchant.to_string()))
            .filter(number_ranges::mode.eq(request.tenant.mode.as_str()))
            .filter(number_ranges::environment.eq(request.environment.as_str()))
            .filter(number_ranges::issuer.eq(request.issuer.as_str().to_owned()))
            .filter(number_ranges::kind.eq(request.kind.as_str()))
            .order((number_ranges::created_at, number_ranges::first))
            .select(RangeRow::as_select());
        let rows: Vec<RangeRow> = self.load(Scope::of(&request.tenant), ranges).await?;
        rows.into_iter().map(NumberRange::try_from).collect::<Result<_, _>>().map_err(unavailable)
    }
}

/// Whether a range has a number left today.
fn judge(request: &NumberRequest, ranges: &[NumberRange]) -> Result<(), NumberError> {
    if ranges.iter().any(|it| it.remaining(request.today) > 0) {
        return Ok(());
    }
    let is_any_left = ranges.iter().any(|it| it.unused() > 0);
    Err(if is_any_left { NumberError::Expired } else { NumberError::Exhausted })
}
