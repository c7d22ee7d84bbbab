//! What a decision writes: statements of which all take effect, or none.

use diesel::{
    backend::Backend,
    expression::{AppearsOnTable, Expression},
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::BigInt,
    sqlite::Sqlite,
};

use crate::{failure::Refused, query::AnyStatement};

/// One `INSERT` or `UPDATE`.
pub(crate) struct Write<DB: Backend> {
    pub(crate) statement: AnyStatement<DB>,
    /// Refusal if the statement writes no row.
    pub(crate) otherwise: Option<Refused>,
    /// The counter that it moves.
    pub(crate) moves: Option<Counter>,
}

/// A column that one write moves on, and that later writes of the same decision count back from.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    /// By what later writes know it.
    pub(crate) name: &'static str,
    pub(crate) column: &'static str,
}

impl<DB: Backend> Write<DB> {
    /// A write that is refused if it writes no row.
    pub(crate) fn or(refused: Refused, statement: impl QueryFragment<DB> + Send + Sync + 'static) -> Self {
        Self { statement: AnyStatement::statement(statement), otherwise: Some(refused), moves: None }
    }

    /// A write that may write no row.
    pub(crate) fn unchecked(statement: impl QueryFragment<DB> + Send + Sync + 'static) -> Self {
        Self { statement: AnyStatement::statement(statement), otherwise: None, moves: None }
    }

    pub(crate) fn moving(self, counter: Counter) -> Self {
        Self { moves: Some(counter), ..self }
    }
}

/// `counter - back`, as an earlier write of the same decision has left it.
///
/// Where the writes are one statement, they all see the database as it was before, and only a
/// name gives them what another has written. Where they run one by one, `again` reads it.
pub(crate) struct CounterFromCte<Q> {
    pub(crate) counter: Counter,
    pub(crate) back: i64,
    pub(crate) again: Q,
}

impl<Q> Expression for CounterFromCte<Q> {
    type SqlType = BigInt;
}

impl<Q, T> AppearsOnTable<T> for CounterFromCte<Q> {}

impl<Q> QueryId for CounterFromCte<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> QueryFragment<Pg> for CounterFromCte<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("(SELECT ");
        out.push_sql(self.counter.column);
        out.push_sql(" FROM ");
        out.push_sql(self.counter.name);
        out.push_sql(") - ");
        out.push_bind_param::<BigInt, _>(&self.back)
    }
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for CounterFromCte<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("(");
        self.again.walk_ast(out.reborrow())?;
        out.push_sql(") - ");
        out.push_bind_param::<BigInt, _>(&self.back)
    }
}

/// An `UPDATE` whose text is always the same.
///
/// Diesel prepares its own anew each time, because a changeset may leave columns out; ours names
/// every one of them.
pub(crate) struct Update<S, F> {
    pub(crate) table: &'static str,
    pub(crate) set: S,
    pub(crate) only: F,
}

impl<DB: Backend, S: QueryFragment<DB>, F: QueryFragment<DB>> QueryFragment<DB> for Update<S, F> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        out.push_identifier(self.table)?;
        out.push_sql(" SET ");
        self.set.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        self.only.walk_ast(out.reborrow())
    }
}

/// A statement with more words after it, for what Diesel would not cache.
pub(crate) struct WithSuffix<S>(pub(crate) S, pub(crate) &'static str);

impl<DB: Backend, S: QueryFragment<DB>> QueryFragment<DB> for WithSuffix<S> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(self.1);
        Ok(())
    }
}
