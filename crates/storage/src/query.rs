//! Type erasure for queries: the code that runs them is compiled once for each database.

use diesel::{
    QueryResult, RunQueryDsl,
    backend::Backend,
    deserialize::FromSqlRow,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::Error::DeserializationError,
    row::Row,
    sql_types::Untyped,
};

/// A part of a query without a static type. An object of [`QueryFragment`] itself would compile more methods for each query.
pub(crate) trait Fragment<DB: Backend> {
    fn walk<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()>;
}

impl<DB: Backend, F: QueryFragment<DB>> Fragment<DB> for F {
    fn walk<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.walk_ast(out)
    }
}

/// A query without a static type.
pub(crate) struct Erased<F: ?Sized>(Box<F>);

/// A query that runs once.
pub(crate) type AnyQuery<DB> = Erased<dyn Fragment<DB> + Send>;
/// A statement that may be retried.
pub(crate) type AnyStatement<DB> = Erased<dyn Fragment<DB> + Send + Sync>;

impl<DB: Backend> AnyQuery<DB> {
    pub(crate) fn query(query: impl QueryFragment<DB> + Send + 'static) -> Self {
        Self(Box::new(query))
    }
}

impl<DB: Backend> AnyStatement<DB> {
    pub(crate) fn statement(statement: impl QueryFragment<DB> + Send + Sync + 'static) -> Self {
        Self(Box::new(statement))
    }
}

/// Reads one row.
pub(crate) fn build<'a, U, ST, DB>(row: &impl Row<'a, DB>) -> QueryResult<U>
where
    DB: Backend,
    U: FromSqlRow<ST, DB>,
{
    U::build_from_row(row).map_err(DeserializationError)
}

impl<F: ?Sized> Query for Erased<F> {
    type SqlType = Untyped;
}

impl<F: ?Sized> QueryId for Erased<F> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend, F: Fragment<DB> + ?Sized> QueryFragment<DB> for Erased<F> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk(out)
    }
}

impl<C, F: ?Sized> RunQueryDsl<C> for Erased<F> {}
