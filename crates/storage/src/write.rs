//! Writes of one transaction.

use diesel::{
    backend::Backend,
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
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
    /// The counter that the statement increments.
    pub(crate) moves: Option<Counter>,
}

/// A column that one write increments, and from which later writes of the transaction compute their numbers.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    /// Name of the write for later writes.
    pub(crate) name: &'static str,
    pub(crate) column: &'static str,
}

impl<DB: Backend> Write<DB> {
    /// A write that must write a row; otherwise the transaction is refused.
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

/// `counter - back`, after an earlier write of the same transaction incremented the counter.
///
/// If the writes are one statement, they see the database before the statement, and read the counter from the common
/// table expression of that write. If they run one by one, `current` reads the counter.
pub(crate) struct CounterFromCte<Q> {
    pub(crate) counter: Counter,
    pub(crate) back: i64,
    pub(crate) current: Q,
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
        self.current.walk_ast(out.reborrow())?;
        out.push_sql(") - ");
        out.push_bind_param::<BigInt, _>(&self.back)
    }
}

/// An `UPDATE` that is prepared once.
///
/// Diesel prepares an update each time, because a changeset may omit columns; these changesets name all columns.
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

/// A statement with a suffix, such as `ON CONFLICT`, that is prepared once. Diesel prepares such a statement each time.
pub(crate) struct WithSuffix<S>(pub(crate) S, pub(crate) &'static str);

impl<DB: Backend, S: QueryFragment<DB>> QueryFragment<DB> for WithSuffix<S> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(self.1);
        Ok(())
    }
}

/// Columns of `balances` in a query of `payments`: both are one table of the database.
pub(crate) struct OfPayment<E>(pub(crate) E);

impl<E: Expression> Expression for OfPayment<E> {
    type SqlType = E::SqlType;
}

impl<E: Expression, T> AppearsOnTable<T> for OfPayment<E> {}

impl<E: Expression, T> SelectableExpression<T> for OfPayment<E> {}

impl<E, G> ValidGrouping<G> for OfPayment<E> {
    type IsAggregate = is_aggregate::No;
}

impl<E: QueryId> QueryId for OfPayment<E> {
    type QueryId = E::QueryId;
    const HAS_STATIC_QUERY_ID: bool = E::HAS_STATIC_QUERY_ID;
}

impl<DB: Backend, E: QueryFragment<DB>> QueryFragment<DB> for OfPayment<E> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

/// Assignments of an `UPDATE` to columns of two tables in Diesel that are one table of the database.
pub(crate) struct AndSet<S, T>(pub(crate) S, pub(crate) T);

impl<DB: Backend, S: QueryFragment<DB>, T: QueryFragment<DB>> QueryFragment<DB> for AndSet<S, T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        self.1.walk_ast(out)
    }
}
