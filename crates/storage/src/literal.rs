use std::marker::PhantomData;

use diesel::{
    QueryResult,
    backend::Backend,
    expression::TypedExpressionType,
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::SqlType,
};

/// A constant in the text of a statement, as the condition of a partial index needs it. The statement is prepared once:
/// Diesel prepares a statement with its own literals each time.
#[derive(Clone, Copy)]
pub(crate) struct Literal<ST>(&'static str, PhantomData<ST>);

impl<ST> Literal<ST> {
    pub(crate) const fn new(sql: &'static str) -> Self {
        Self(sql, PhantomData)
    }
}

impl<ST: SqlType + TypedExpressionType> Expression for Literal<ST> {
    type SqlType = ST;
}

impl<ST, T> AppearsOnTable<T> for Literal<ST> where Self: Expression {}

impl<ST, T> SelectableExpression<T> for Literal<ST> where Self: Expression {}

impl<ST, G> ValidGrouping<G> for Literal<ST> {
    type IsAggregate = is_aggregate::Never;
}

impl<ST> QueryId for Literal<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST, DB: Backend> QueryFragment<DB> for Literal<ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(self.0);
        Ok(())
    }
}
