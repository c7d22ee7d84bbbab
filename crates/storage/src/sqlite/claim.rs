use diesel::{prelude::*, query_builder::AsChangeset};
use ports::Unavailable;

use super::{AnyStatement, Backend, Sqlite};
use crate::{
    failure::unavailable,
    rows::WorkRow,
    schema::{fiscal_documents, payments, refunds},
    write::Update,
};

/// Due time, merchant, mode and identifier.
type Due = (Option<i64>, String, String, String);

impl Sqlite {
    /// Leases due payments, documents and refunds. The transaction is the only writer, so there is no concurrent claim.
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

/// Due rows of a table without a lease, the oldest first.
macro_rules! due {
    ($table:ident, $connection:ident, $now:ident, $limit:ident) => {{
        let rows: Vec<Due> = $table::table
            .filter($table::due_at.le($now))
            .filter($table::lease_until.is_null().or($table::lease_until.le($now)))
            .order($table::due_at)
            .limit($limit)
            .select(($table::due_at, $table::merchant, $table::mode, $table::id))
            .load($connection)?;
        let of_table = |(due_at, merchant, mode, id)| (due_at, (stringify!($table).to_owned(), merchant, mode, id));
        rows.into_iter().map(of_table)
    }};
}

fn oldest(connection: &mut SqliteConnection, now: i64, limit: i64) -> QueryResult<Vec<WorkRow>> {
    let mut due: Vec<(Option<i64>, WorkRow)> = due!(payments, connection, now, limit).collect();
    due.extend(due!(fiscal_documents, connection, now, limit));
    due.extend(due!(refunds, connection, now, limit));
    due.sort_by_key(|(due_at, _)| *due_at);
    Ok(due.into_iter().map(|(_, row)| row).take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
}

/// Leases a row of a table.
macro_rules! lease {
    ($table:ident, $key:expr, $until:ident) => {{
        let (merchant, mode, id) = $key;
        let only = $table::merchant.eq(merchant).and($table::mode.eq(mode)).and($table::id.eq(id));
        let set = $table::lease_until.eq($until).as_changeset();
        AnyStatement::statement(Update { table: stringify!($table), set, only })
    }};
}

fn lease((table, merchant, mode, id): &WorkRow, lease_until: i64) -> AnyStatement<Backend> {
    let key = (merchant.clone(), mode.clone(), id.clone());
    match table.as_str() {
        "payments" => lease!(payments, key, lease_until),
        "refunds" => lease!(refunds, key, lease_until),
        _ => lease!(fiscal_documents, key, lease_until),
    }
}
