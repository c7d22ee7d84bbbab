//! The stores on PostgreSQL and on SQLite.
//!
//! A store loads rows with one query, and applies a list of writes in one transaction. Queries and writes are in
//! `queries`, which is compiled twice, with the `Store` of `postgres` and with the one of `sqlite`. These two modules
//! have the differences: transactions, claims of due work, migrations, and the checks at the start. Statements that
//! Diesel cannot express are in `.sql` files: see `sql`.
//!
//! A dropped call leaves no transaction half done: PostgreSQL gets all writes as one statement, and SQLite runs them to
//! their end on another thread.

#![expect(clippy::duplicate_mod, reason = "the queries are compiled against each of the two databases")]

mod column;
mod event_sequences;
mod failure;
mod literal;
mod migration;
mod number_batcher;
mod postgres;
mod query;
mod records;
mod rows;
mod schema;
mod scope;
mod sql;
mod sqlite;
mod text;
mod time;
mod write;

pub use failure::UnusableDatabase;
pub use migration::SchemaError;
pub use postgres::Postgres;
pub use sqlite::Sqlite;

/// Rows of four queries.
type Rows4<A, B, C, D> = (Vec<A>, Vec<B>, Vec<C>, Vec<D>);

/// Use of a connection pool at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolUse {
    /// Connections in use.
    pub in_use: usize,
    /// Idle connections.
    pub idle: usize,
    /// Callers that wait for a connection.
    pub waiting: usize,
}
