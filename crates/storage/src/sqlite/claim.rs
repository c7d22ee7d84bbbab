use diesel::{dsl::sql, prelude::*, sql_types::Text};
use ports::Unavailable;

use super::Sqlite;
use crate::{
    failure::unavailable,
    rows::WorkRow,
    schema::{fiscal_documents, payments},
};

impl Sqlite {
    /// Leases what is due. The transaction is the only writer, so nobody else claims meanwhile.
    pub(super) async fn claim_due(&self, now: i64, lease_until: i64, limit: i64) -> Result<Vec<WorkRow>, Unavailable> {
        let claim = move |connection: &mut SqliteConnection| {
            let due = oldest(connection, now, limit)?;
            for (_, (table, merchant, mode, id)) in &due {
                lease(connection, table, (merchant, mode, id), lease_until)?;
            }
            QueryResult::Ok(due.into_iter().map(|(_, row)| row).collect())
        };
        self.writer.run(move |connection| connection.immediate_transaction(claim).map_err(unavailable)).await
    }
}

fn oldest(connection: &mut SqliteConnection, now: i64, limit: i64) -> QueryResult<Vec<(Option<i64>, WorkRow)>> {
    let mut due = payments::table
        .filter(payments::due_at.le(now))
        .filter(payments::lease_until.is_null().or(payments::lease_until.le(now)))
        .order(payments::due_at)
        .limit(limit)
        .select((payments::due_at, (sql::<Text>("'payments'"), payments::merchant, payments::mode, payments::id)))
        .load::<(Option<i64>, WorkRow)>(connection)?;
    let documents = fiscal_documents::table
        .filter(fiscal_documents::due_at.le(now))
        .filter(fiscal_documents::lease_until.is_null().or(fiscal_documents::lease_until.le(now)))
        .order(fiscal_documents::due_at)
        .limit(limit)
        .select((
            fiscal_documents::due_at,
            (
                sql::<Text>("'fiscal_documents'"),
                fiscal_documents::merchant,
                fiscal_documents::mode,
                fiscal_documents::id,
            ),
        ))
        .load::<(Option<i64>, WorkRow)>(connection)?;
    due.extend(documents);
    due.sort_by_key(|(due_at, _)| *due_at);
    due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(due)
}

fn lease(
    connection: &mut SqliteConnection,
    table: &str,
    key: (&String, &String, &String),
    lease_until: i64,
) -> QueryResult<usize> {
    if table == "payments" {
        let row = diesel::update(payments::table.find(key));
        row.set(payments::lease_until.eq(lease_until)).execute(connection)
    } else {
        let row = diesel::update(fiscal_documents::table.find(key));
        row.set(fiscal_documents::lease_until.eq(lease_until)).execute(connection)
    }
}
