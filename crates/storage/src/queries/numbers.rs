use async_trait::async_trait;
use diesel::{prelude::*, query_builder::AsChangeset, result::DatabaseErrorKind};
use domain::fiscal::{NumberRange, Numbered};
use ports::{Allotment, AllotmentError, NumberStore, Unavailable};

use super::{Backend, Store};
use crate::{
    failure::{Failure, Refused, unavailable},
    rows::{NumberRow, RangeRow, restore_number},
    schema::{fiscal_numbers, number_ranges},
    scope::Scope,
    write::{Counted, Counter, Update, Write},
};

/// The number that a range gives next.
const NEXT: Counter = Counter { name: "counted_range", column: "next" };

/// Who lost a race looks again; each round is lost to somebody who has won it.
const ROUNDS: usize = 32;

#[async_trait]
impl NumberStore for Store {
    async fn allot(&self, request: Allotment) -> Result<Numbered, AllotmentError> {
        for _ in 0..ROUNDS {
            let (known, ranges) = self.look_up(&request).await?;
            if let Some(numbered) = known {
                return Ok(numbered);
            }
            let range = choose(&request, &ranges)?;
            match self.apply(Scope::of(&request.tenant), take(&request, range)).await {
                Ok(()) | Err(Failure::Refused(_)) => {}
                // Another worker numbered the same revision.
                Err(Failure::Database(diesel::result::Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _))) => {
                }
                Err(Failure::Database(error)) => return Err(unavailable(error).into()),
                Err(Failure::Unavailable(error)) => return Err(error.into()),
            }
        }
        Err(unavailable("other workers were always faster").into())
    }
}

impl Store {
    /// The number that the revision has, and the ranges that it may get one from, oldest first.
    async fn look_up(&self, request: &Allotment) -> Result<(Option<Numbered>, Vec<NumberRange>), Unavailable> {
        let (merchant, mode) = (request.tenant.merchant.to_string(), request.tenant.mode.as_str());
        let known = fiscal_numbers::table
            .filter(fiscal_numbers::merchant.eq(merchant.clone()))
            .filter(fiscal_numbers::mode.eq(mode))
            .filter(fiscal_numbers::document.eq(request.document.to_string()))
            .filter(fiscal_numbers::revision.eq(i64::from(request.revision)))
            .select((
                fiscal_numbers::kind,
                fiscal_numbers::sequence,
                fiscal_numbers::valid_until,
                fiscal_numbers::issue_date,
            ));
        let ranges = number_ranges::table
            .filter(number_ranges::merchant.eq(merchant))
            .filter(number_ranges::mode.eq(mode))
            .filter(number_ranges::environment.eq(request.environment.as_str()))
            .filter(number_ranges::issuer.eq(request.issuer.as_str().to_owned()))
            .filter(number_ranges::kind.eq(request.kind.as_str()))
            .order((number_ranges::created_at, number_ranges::first))
            .select(RangeRow::as_select());

        let (mut known, ranges): (_, Vec<RangeRow>) = self.load_two(Scope::of(&request.tenant), known, ranges).await?;
        let known = known.pop().map(restore_number).transpose().map_err(unavailable)?;
        let ranges = ranges.into_iter().map(NumberRange::try_from).collect::<Result<_, _>>().map_err(unavailable)?;
        Ok((known, ranges))
    }
}

/// The oldest range that has a number left today.
fn choose<'a>(request: &Allotment, ranges: &'a [NumberRange]) -> Result<&'a NumberRange, AllotmentError> {
    if let Some(range) = ranges.iter().find(|it| it.remaining(request.today) > 0) {
        return Ok(range);
    }
    let is_any_left = ranges.iter().any(|it| it.next <= it.last);
    Err(if is_any_left { AllotmentError::Expired } else { AllotmentError::Exhausted })
}

/// Moves the range on and binds the number that it gave, together. Whoever comes at the same time
/// waits at the range's row for the number after.
fn take(request: &Allotment, range: &NumberRange) -> Vec<Write<Backend>> {
    let is_range = |first| {
        number_ranges::issuer
            .eq(range.issuer.as_str().to_owned())
            .and(number_ranges::environment.eq(range.environment.as_str()))
            .and(number_ranges::kind.eq(range.kind.as_str()))
            .and(number_ranges::first.eq(first))
    };
    let first = i64::try_from(range.first).unwrap_or(i64::MAX);
    let move_on = Update {
        table: "number_ranges",
        set: number_ranges::next.eq(number_ranges::next + 1).as_changeset(),
        only: is_range(first).and(number_ranges::next.le(number_ranges::last)),
    };
    let again = number_ranges::table.filter(is_range(first)).select(number_ranges::next);
    let sequence = Counted { counter: NEXT, back: 1, again };
    let row = (NumberRow::new(request, range), fiscal_numbers::sequence.eq(sequence));
    vec![
        Write::or(Refused::Stale, move_on).moving(NEXT),
        Write::or(Refused::Stale, diesel::insert_into(fiscal_numbers::table).values(row)),
    ]
}
