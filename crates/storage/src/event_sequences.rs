//! Rows that are told apart by two columns, several of them at once.

use diesel::{
    expression::{AppearsOnTable, Expression, ValidGrouping, is_aggregate},
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{Array, BigInt, Bool, Text},
    sqlite::Sqlite,
};

/// Whether an event is one of these, each by its payment and its place there.
///
/// To ask for either column by itself would read every place of each payment that any of them has.
pub(crate) struct EventSequences {
    payments: Vec<String>,
    sequences: Vec<i64>,
}

impl EventSequences {
    pub(crate) fn of(places: impl IntoIterator<Item = (String, i64)>) -> Self {
        let (payments, sequences) = places.into_iter().unzip();
        Self { payments, sequences }
    }
}

impl Expression for EventSequences {
    type SqlType = Bool;
}

impl<T> AppearsOnTable<T> for EventSequences {}

impl<G> ValidGrouping<G> for EventSequences {
    type IsAggregate = is_aggregate::No;
}

impl QueryId for EventSequences {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for EventSequences {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("(events.payment, events.sequence) IN (SELECT * FROM unnest(");
        out.push_bind_param::<Array<Text>, _>(&self.payments)?;
        out.push_sql("::text[], ");
        out.push_bind_param::<Array<BigInt>, _>(&self.sequences)?;
        out.push_sql("::bigint[]))");
        Ok(())
    }
}

/// SQLite looks up each pair by index where they are spelled out, and none of a list of pairs.
impl QueryFragment<Sqlite> for EventSequences {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        // None at all is none of them.
        out.push_sql(if self.payments.is_empty() { "(FALSE" } else { "(" });
        for (place, (payment, sequence)) in self.payments.iter().zip(&self.sequences).enumerate() {
            out.push_sql(if place == 0 { "(events.payment = " } else { " OR (events.payment = " });
            out.push_bind_param::<Text, _>(payment)?;
            out.push_sql(" AND events.sequence = ");
            out.push_bind_param::<BigInt, _>(sequence)?;
            out.push_sql(")");
        }
        out.push_sql(")");
        Ok(())
    }
}
