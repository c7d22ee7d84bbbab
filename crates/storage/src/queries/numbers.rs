use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error::DatabaseError},
};
use domain::fiscal::{NumberRange, Numbered};
use ports::{NumberError, NumberRequest, NumberStore, Unavailable};

use super::{Store, filters::only};
use crate::{
    failure::{Failure, unavailable},
    number_batcher::{BatchRunner, NumberResult, QueuedRequest},
    rows::{RangeRow, restore_number},
    schema::number_ranges,
    scope::Scope,
};

/// Maximum number of transactions for one batch. Each failed one was overtaken by a transaction of another process.
const ROUNDS: usize = 32;

/// Numbers by document and revision.
#[derive(Default)]
struct AssignedNumbers(HashMap<(String, i64), Numbered>);

impl AssignedNumbers {
    fn has(&self, request: &NumberRequest) -> bool {
        self.0.contains_key(&key(request))
    }

    /// Returns the number of a request, or the error of the batch.
    fn result(&self, request: &NumberRequest, batch: &Result<(), NumberError>) -> NumberResult {
        match (self.0.get(&key(request)), batch) {
            (Some(numbered), _) => Ok(numbered.clone()),
            (None, Err(NumberError::Exhausted)) => Err(NumberError::Exhausted),
            (None, Err(NumberError::Expired)) => Err(NumberError::Expired),
            (None, Err(NumberError::Unavailable(error))) => Err(unavailable(error.source.to_string()).into()),
            (None, Ok(())) => Err(unavailable("the batch returned no number for a request").into()),
        }
    }
}

fn key(request: &NumberRequest) -> (String, i64) {
    (request.document.to_string(), request.revision.into())
}

#[async_trait]
impl NumberStore for Store {
    async fn assign(&self, request: NumberRequest) -> Result<Numbered, NumberError> {
        let (result, runner) = self.numbers.join(request);
        if let Some(runner) = runner {
            // A separate task: if this caller is dropped, the others still get their numbers.
            tokio::spawn(self.clone().run_batches(runner));
        }
        result.await.map_err(|_| unavailable("the task that assigns numbers panicked"))?
    }
}

impl Store {
    /// Assigns numbers until the queue of `runner` is empty. Requests that arrive during a transaction share the next
    /// transaction and connection.
    async fn run_batches(self, mut runner: BatchRunner) {
        loop {
            let batch = runner.next();
            if batch.is_empty() {
                return;
            }
            let mut numbers = AssignedNumbers::default();
            let requests = batch.iter().map(|queued| queued.request.clone()).collect();
            let result = self.assign_batch(requests, &mut numbers).await;
            for QueuedRequest { request, sender } in batch {
                // A caller that is gone finds the number with the document later.
                drop(sender.send(numbers.result(&request, &result)));
            }
        }
    }

    /// Assigns a number to each request: the existing one of the revision, or the next one of the oldest usable
    /// range. All requests share one tenant, kind and day.
    async fn assign_batch(
        &self,
        mut requests: Vec<NumberRequest>,
        numbers: &mut AssignedNumbers,
    ) -> Result<(), NumberError> {
        let mut refusal = None;
        for _ in 0..ROUNDS {
            let rows = match self.assign(&requests).await {
                Ok(rows) => rows,
                // Another process numbered one of these revisions meanwhile.
                Err(Failure::Database(DatabaseError(DatabaseErrorKind::UniqueViolation, _))) => {
                    refusal = None;
                    continue;
                }
                Err(failure) => return Err(Unavailable::from(failure).into()),
            };
            let is_empty = rows.is_empty();
            for (document, revision, number) in rows {
                numbers.0.insert((document, revision), restore_number(number).map_err(unavailable)?);
            }
            requests.retain(|request| !numbers.has(request));
            let Some(first) = requests.first() else { return Ok(()) };
            match refusal.filter(|_| is_empty) {
                Some(refusal) => return Err(refusal),
                // The refusal is final only if the next transaction returns no number either.
                None => refusal = check_ranges(first, &self.ranges_for(first).await?).err(),
            }
        }
        Err(unavailable("other processes took the numbers of every attempt").into())
    }

    /// Returns the ranges for a request, oldest first.
    async fn ranges_for(&self, request: &NumberRequest) -> Result<Vec<NumberRange>, Unavailable> {
        let ranges = number_ranges::table
            .filter(only!(number_ranges, request.tenant, environment = request.environment.as_str()))
            .filter(number_ranges::issuer.eq(request.issuer.as_str().to_owned()))
            .filter(number_ranges::kind.eq(request.kind.as_str()))
            .order((number_ranges::created_at, number_ranges::first))
            .select(RangeRow::as_select());
        self.all(Scope::of(&request.tenant), ranges).await
    }
}

/// # Errors
///
/// If no range has a number that is valid today.
fn check_ranges(request: &NumberRequest, ranges: &[NumberRange]) -> Result<(), NumberError> {
    if ranges.iter().any(|range| range.remaining(request.today) > 0) {
        return Ok(());
    }
    let is_any_left = ranges.iter().any(|range| range.unused() > 0);
    Err(if is_any_left { NumberError::Expired } else { NumberError::Exhausted })
}
