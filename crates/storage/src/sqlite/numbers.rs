use diesel::{prelude::*, query_builder::AsChangeset};
use ports::NumberRequest;

use super::{AnyStatement, Sqlite};
use crate::{
    failure::{Failure, unavailable},
    rows::{NumberRow, NumberedRow, RangeRow, StoredRow},
    schema::{fiscal_numbers, number_ranges},
    time::day,
    write::Update,
};

impl Sqlite {
    /// Returns the numbers of revisions, and assigns those that are missing from the oldest range. The transaction is the
    /// only writer, so no other one takes a number.
    pub(super) async fn assign(&self, requests: &[NumberRequest]) -> Result<Vec<NumberedRow>, Failure> {
        let requests = requests.to_vec();
        let all = move |connection: &mut SqliteConnection| {
            let rows = requests.iter().map(|request| assign_one(connection, request));
            rows.filter_map(Result::transpose).collect()
        };
        self.writer.run(|connection| connection.immediate_transaction(all)).await
    }
}

fn assign_one(connection: &mut SqliteConnection, request: &NumberRequest) -> Result<Option<NumberedRow>, Failure> {
    if let Some(known) = known(connection, request)? {
        return Ok(Some(known));
    }
    let Some(range) = oldest(connection, request)? else { return Ok(None) };
    let range = range.restore().map_err(unavailable)?;
    let sequence = i64::try_from(range.next).map_err(unavailable)?;
    let row = (NumberRow::new(request, &range), fiscal_numbers::sequence.eq(sequence));
    AnyStatement::statement(diesel::insert_into(fiscal_numbers::table).values(row)).execute(connection)?;
    let only = number_ranges::issuer
        .eq(range.issuer.as_str().to_owned())
        .and(number_ranges::environment.eq(range.environment.as_str()))
        .and(number_ranges::kind.eq(range.kind.as_str()))
        .and(number_ranges::first.eq(i64::try_from(range.first).map_err(unavailable)?));
    let set = number_ranges::next.eq(number_ranges::next + 1).as_changeset();
    AnyStatement::statement(Update { table: "number_ranges", set, only }).execute(connection)?;
    Ok(known(connection, request)?)
}

/// Returns the number of the revision, if there is one.
fn known(connection: &mut SqliteConnection, request: &NumberRequest) -> QueryResult<Option<NumberedRow>> {
    fiscal_numbers::table
        .filter(fiscal_numbers::merchant.eq(request.tenant.merchant.as_str()))
        .filter(fiscal_numbers::mode.eq(request.tenant.mode.as_str()))
        .filter(fiscal_numbers::document.eq(request.document.as_str()))
        .filter(fiscal_numbers::revision.eq(i64::from(request.revision)))
        .select((
            fiscal_numbers::document,
            fiscal_numbers::revision,
            (fiscal_numbers::kind, fiscal_numbers::sequence, fiscal_numbers::valid_until, fiscal_numbers::issue_date),
        ))
        .first(connection)
        .optional()
}

/// Returns the oldest range with a number that is valid today.
fn oldest(connection: &mut SqliteConnection, request: &NumberRequest) -> QueryResult<Option<RangeRow>> {
    number_ranges::table
        .filter(number_ranges::merchant.eq(request.tenant.merchant.as_str()))
        .filter(number_ranges::mode.eq(request.tenant.mode.as_str()))
        .filter(number_ranges::environment.eq(request.environment.as_str()))
        .filter(number_ranges::issuer.eq(request.issuer.as_str()))
        .filter(number_ranges::kind.eq(request.kind.as_str()))
        .filter(number_ranges::next.le(number_ranges::last))
        .filter(number_ranges::valid_until.is_null().or(number_ranges::valid_until.ge(day(request.today))))
        .order((number_ranges::created_at, number_ranges::first))
        .select(RangeRow::as_select())
        .first(connection)
        .optional()
}
