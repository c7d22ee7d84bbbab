//! SQLite, for the sandbox, tests and small trials. One process uses a file at a time.

mod claim;
mod group_commit;
mod migrate;
mod numbers;
mod pool;
mod reference;
mod sequential;
mod webhooks;

#[path = "../queries/mod.rs"]
mod queries;

use std::{path::Path, pin::Pin};

use diesel::{
    QueryResult, SqliteConnection,
    connection::{Connection, LoadConnection},
    query_builder::QueryFragment,
    sqlite::Sqlite as SqliteBackend,
};
use ports::Unavailable;

use self::{group_commit::CommitQueue, pool::Pool};
use crate::{
    Rows4,
    failure::unavailable,
    number_batcher::NumberBatcher,
    query::{AnyQuery, AnyStatement, Load},
    scope::Scope,
    sql::{Bind, SqlFile, sql_file},
};

type Backend = SqliteBackend;
type Store = Sqlite;

/// Function that returns the position of a text in another one, from 1.
const FIND: &str = "instr";

/// All stores, on SQLite.
#[derive(Clone)]
pub struct Sqlite {
    writer: Pool,
    readers: Pool,
    commits: CommitQueue,
    numbers: NumberBatcher,
}

/// Future of a query. Boxed to forget the type of the query.
type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Unavailable>> + Send + 'a>>;

/// A commit is on the disk before the confirmation. Readers do not wait for commits.
const FOR_WRITING: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON;";
const FOR_READING: &str = "PRAGMA busy_timeout = 5000; PRAGMA query_only = ON;";

/// SQLite has one writer at a time: a second connection would only wait for the first.
const WRITERS: usize = 1;
const READERS: usize = 4;

impl Sqlite {
    /// A file that opens is writable.
    async fn takes_writes(&self) -> Result<(), Unavailable> {
        self.load(Scope::NONE, diesel::dsl::sql::<diesel::sql_types::Bool>("SELECT 1")).await.map(|_: Vec<bool>| ())
    }

    /// Opens the database in the file at `path`. Creates a missing file.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or is no database.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, Unavailable> {
        let path = path.as_ref();
        let store = Self {
            writer: Pool::new(path, WRITERS, FOR_WRITING)?,
            readers: Pool::new(path, READERS, FOR_READING)?,
            commits: CommitQueue::default(),
            numbers: NumberBatcher::default(),
        };
        // A writer creates the file, so that readers find one.
        store.writer.run(|_| Ok::<_, Unavailable>(())).await?;
        Ok(store)
    }

    /// Returns the rows of a query.
    fn load<U, Q>(&self, _: Scope, query: Q) -> Pending<'_, Vec<U>>
    where
        U: Send + 'static,
        Q: Load<SqliteBackend, U> + Send + 'static,
    {
        let query = AnyQuery::query(query);
        Box::pin(self.readers.run(|connection| rows::<U, Q>(connection, query).map_err(unavailable)))
    }

    /// Returns the rows of two queries, from one connection.
    fn load_two<U1, U2, Q1, Q2>(&self, _: Scope, one: Q1, two: Q2) -> Pending<'_, (Vec<U1>, Vec<U2>)>
    where
        U1: Send + 'static,
        U2: Send + 'static,
        Q1: Load<SqliteBackend, U1> + Send + 'static,
        Q2: Load<SqliteBackend, U2> + Send + 'static,
    {
        let (one, two) = (AnyQuery::query(one), AnyQuery::query(two));
        let both = |it: &mut SqliteConnection| QueryResult::Ok((rows::<U1, Q1>(it, one)?, rows::<U2, Q2>(it, two)?));
        Box::pin(self.readers.run(|connection| both(connection).map_err(unavailable)))
    }

    /// Returns the rows of four queries, from one connection.
    fn load_pipelined<U1, U2, U3, U4, Q1, Q2, Q3, Q4>(
        &self,
        _: Scope,
        (one, two, three, four): (Q1, Q2, Q3, Q4),
    ) -> Pending<'_, Rows4<U1, U2, U3, U4>>
    where
        U1: Send + 'static,
        U2: Send + 'static,
        U3: Send + 'static,
        U4: Send + 'static,
        Q1: Load<SqliteBackend, U1> + Send + 'static,
        Q2: Load<SqliteBackend, U2> + Send + 'static,
        Q3: Load<SqliteBackend, U3> + Send + 'static,
        Q4: Load<SqliteBackend, U4> + Send + 'static,
    {
        let (one, two) = (AnyQuery::query(one), AnyQuery::query(two));
        let (three, four) = (AnyQuery::query(three), AnyQuery::query(four));
        let all = |it: &mut SqliteConnection| {
            let (one, two) = (rows::<U1, Q1>(it, one)?, rows::<U2, Q2>(it, two)?);
            QueryResult::Ok((one, two, rows::<U3, Q3>(it, three)?, rows::<U4, Q4>(it, four)?))
        };
        Box::pin(self.readers.run(|connection| all(connection).map_err(unavailable)))
    }

    /// Runs one statement. Returns the number of changed rows.
    fn execute(
        &self,
        _: Scope,
        statement: impl QueryFragment<SqliteBackend> + Send + Sync + 'static,
    ) -> Pending<'_, u64> {
        let statement = AnyStatement::statement(statement);
        Box::pin(async move {
            let run = move |it: &mut SqliteConnection| it.execute_returning_count(&statement).map_err(unavailable);
            Ok(u64::try_from(self.writer.run(run).await?).unwrap_or(u64::MAX))
        })
    }
}

fn rows<U, Q: Load<SqliteBackend, U>>(
    connection: &mut SqliteConnection,
    query: AnyQuery<SqliteBackend>,
) -> QueryResult<Vec<U>> {
    LoadConnection::load(connection, query)?.map(|row| Q::build(&row?)).collect()
}

/// Returns the statements that delete deliveries, events and e-mails from before `before`, `limit` rows each.
fn sweep(before: i64, limit: i64) -> [SqlFile<Backend>; 4] {
    let sweep = |table| sql_file!("sqlite/sweep", table: Bind::Sql(table), before: before, limit: limit);
    ["webhook_deliveries", "events", "account_events", "endpoint_disabled_emails"].map(sweep)
}
