//! The stores, on PostgreSQL and on SQLite.
//!
//! A store does two things: it loads rows with one query, and it applies a list of writes of which
//! all take effect or none. Every query and every write is written once, in `queries`, and compiled
//! twice, against the `Store` of the module that includes it. What the two databases do differently
//! is in `postgres` and `sqlite`: how writes become one transaction, how due work is claimed, how
//! the schema is brought up to date, and what is checked at the start.
//!
//! A call that is dropped half-way leaves nothing half done: PostgreSQL gets a decision as one
//! statement, and SQLite runs it to its end on a thread of its own.

#![expect(clippy::duplicate_mod, reason = "the queries are compiled against each of the two databases")]

mod event_sequences;
mod failure;
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
mod time;
mod write;

pub use failure::UNUSABLE;
pub use migration::SchemaError;
pub use postgres::Postgres;
pub use sqlite::Sqlite;

/// The rows of four queries.
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
