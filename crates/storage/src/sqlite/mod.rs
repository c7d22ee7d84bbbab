//! SQLite, in one file: for the sandbox, tests and small trials. One process uses a file at a time.

mod claim;
mod migrate;
mod numbers;
mod one_by_one;
mod pool;
mod reference;
mod sweep;
mod webhooks;

#[path = "../queries/mod.rs"]
mod queries;

use std::path::Path;

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    query_dsl::methods::{ExecuteDsl, LoadQuery},
    sqlite::Sqlite as SqliteBackend,
};
use ports::Unavailable;

use self::{
    pool::Pool,
    sweep::{OLD_ACCOUNT_EVENTS, OLD_ENDPOINT_DISABLED_EMAILS, OLD_EVENTS, OLD_WEBHOOK_DELIVERIES},
};
use crate::{Four, failure::unavailable, line::Lines, scope::Scope};

type Backend = SqliteBackend;
type Store = Sqlite;

/// The function that says where in one text another stands, from 1.
const FIND: &str = "instr";

/// All stores, on SQLite.
#[derive(Clone)]
pub struct Sqlite {
    writer: Pool,
    readers: Pool,
    /// Who waits for numbers.
    lines: Lines,
}

/// A commit is on the disk before it is confirmed; readers do not wait for it.
const FOR_WRITING: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON;";
const FOR_READING: &str = "PRAGMA busy_timeout = 5000; PRAGMA query_only = ON;";

/// SQLite has one writer at a time, so a second connection would only wait for the first.
const WRITERS: usize = 1;
const READERS: usize = 4;

impl Sqlite {
    /// A file that could be opened is writable.
    async fn takes_writes(&self) -> Result<(), Unavailable> {
        self.load(Scope::none(), diesel::dsl::sql::<diesel::sql_types::Bool>("SELECT 1")).await.map(|_: Vec<bool>| ())
    }

    /// Opens the database in the file at `path`, or makes it.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, or is no database.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, Unavailable> {
        let path = path.as_ref();
        let store = Self {
            writer: Pool::new(path, WRITERS, FOR_WRITING)?,
            readers: Pool::new(path, READERS, FOR_READING)?,
            lines: Lines::default(),
        };
        // The first to write makes the file, so that readers find one.
        store.writer.run(|_| Ok::<_, Unavailable>(())).await?;
        Ok(store)
    }

    /// The rows of one query.
    async fn load<Q, U>(&self, _: Scope, query: Q) -> Result<Vec<U>, Unavailable>
    where
        Q: LoadQuery<'static, SqliteConnection, U> + Send + 'static,
        U: Send + 'static,
    {
        self.readers.run(|connection| query.load(connection).map_err(unavailable)).await
    }

    /// The rows of two queries, on one connection.
    async fn load_two<Q1, U1, Q2, U2>(&self, _: Scope, first: Q1, second: Q2) -> Result<(Vec<U1>, Vec<U2>), Unavailable>
    where
        Q1: LoadQuery<'static, SqliteConnection, U1> + Send + 'static,
        Q2: LoadQuery<'static, SqliteConnection, U2> + Send + 'static,
        U1: Send + 'static,
        U2: Send + 'static,
    {
        let both = |it: &mut SqliteConnection| QueryResult::Ok((first.load(it)?, second.load(it)?));
        self.readers.run(|connection| both(connection).map_err(unavailable)).await
    }

    /// The rows of four queries, on one connection.
    async fn load_four<Q1, U1, Q2, U2, Q3, U3, Q4, U4>(
        &self,
        _: Scope,
        (first, second, third, fourth): (Q1, Q2, Q3, Q4),
    ) -> Result<Four<U1, U2, U3, U4>, Unavailable>
    where
        Q1: LoadQuery<'static, SqliteConnection, U1> + Send + 'static,
        Q2: LoadQuery<'static, SqliteConnection, U2> + Send + 'static,
        Q3: LoadQuery<'static, SqliteConnection, U3> + Send + 'static,
        Q4: LoadQuery<'static, SqliteConnection, U4> + Send + 'static,
        U1: Send + 'static,
        U2: Send + 'static,
        U3: Send + 'static,
        U4: Send + 'static,
    {
        let all = |it: &mut SqliteConnection| {
            QueryResult::Ok((first.load(it)?, second.load(it)?, third.load(it)?, fourth.load(it)?))
        };
        self.readers.run(|connection| all(connection).map_err(unavailable)).await
    }

    /// Runs one statement by itself and says how many rows it changed.
    async fn execute<Q>(&self, _: Scope, statement: Q) -> Result<u64, Unavailable>
    where
        Q: ExecuteDsl<SqliteConnection> + RunQueryDsl<SqliteConnection> + Send + 'static,
    {
        let changed = self.writer.run(|connection| statement.execute(connection).map_err(unavailable)).await?;
        Ok(u64::try_from(changed).unwrap_or(u64::MAX))
    }
}
