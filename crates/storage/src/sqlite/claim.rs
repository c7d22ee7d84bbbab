use diesel::{prelude::*, query_builder::AsChangeset};
use ports::Unavailable;

use super::{AnyStatement, Backend, Sqlite};
use crate::{
    failure::unavailable,
    rows::WorkRow,
    schema::{fiscal_documents, payments},
    write::Update,
};

/// Due time, merchant, mode and identifier.
type Due = (Option<i64>, String, String, String);

impl Sqlite {
    /// Leases due payments and documents. The transaction is the only writer, so there is no concurrent claim.
    pub(super) async fn claim_due(&self, now: i64, lease_until: i64, limit: i64) -> Result<Vec<WorkRow>, Unavailable> {
        let claim = move |connection: &mut SqliteConnection| {
            let due = oldest(connection, now, limit)?;
            for row in &due {
                lease(row, lease_until).execute(connection)?;
            }
            QueryResult::Ok(due)
        };
        self.writer.run(move |connection| connection.immediate_transaction(claim).map_err(unavailable)).await
    }
}

fn oldest(connection: &mut SqliteConnection, now: i64, limit: i64) -> QueryResult<Vec<WorkRow>> {
    let payments: Vec<Due> = payments::table
        .filter(payments::due_at.le(now))
        .filter(payments::lease_until.is_null().or(payments::lease_until.le(now)))
        .order(payments::due_at)
        .limit(limit)
        .select((payments::due_at, payments::merchant, payments::mode, payments::id))
        .load(connection)?;
    let documents: Vec<Due> = fiscal_documents::table
        .filter(fiscal_documents::due_at.le(now))
        .filter(fiscal_documents::lease_until.is_null().or(fiscal_documents::lease_until.le(now)))
        .order(fiscal_documents::due_at)
        .limit(limit)
        .select((fiscal_documents::due_at, fiscal_documents::merchant, fiscal_documents::mode, fiscal_documents::id))
        .load(connection)?;

    let of =
        |table: &'static str| move |(due_at, merchant, mode, id): Due| (due_at, (table.to_owned(), merchant, mode, id));
    let mut due: Vec<_> = payments.into_iter().map(of("payments")).collect();
    due.extend(documents.into_iter().map(of("fiscal_documents")));
    due.sort_by_key(|(due_at, _)| *due_at);
    Ok(due.into_iter().map(|(_, row)| row).take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
}

fn lease((table, merchant, mode, id): &WorkRow, lease_until: i64) -> AnyStatement<Backend> {
    let (merchant, mode, id) = (merchant.clone(), mode.clone(), id.clone());
    if table == "payments" {
        let only = payments::merchant.eq(merchant).and(payments::mode.eq(mode)).and(payments::id.eq(id));
        let set = payments::lease_until.eq(lease_until).as_changeset();
        return AnyStatement::statement(Update { table: "payments", set, only });
    }
    let only =
        fiscal_documents::merchant.eq(merchant).and(fiscal_documents::mode.eq(mode)).and(fiscal_documents::id.eq(id));
    let set = fiscal_documents::lease_until.eq(lease_until).as_changeset();
    AnyStatement::statement(Update { table: "fiscal_documents", set, only })
}
