//! A filter on pairs of columns.

use diesel::{
    expression::{AppearsOnTable, Expression, ValidGrouping, is_aggregate},
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{Array, BigInt, Bool, Text},
    sqlite::Sqlite,
};

/// Filter on events by payment and sequence number.
///
/// A filter on each column alone would read all sequence numbers of each payment.
pub(crate) struct EventSequences {
    payments: Vec<String>,
    sequences: Vec<i64>,
}

impl EventSequences {
    pub(crate) fn of(events: impl IntoIterator<Item = (String, i64)>) -> Self {
        let (payments, sequences) = events.into_iter().unzip();
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

/// SQLite uses an index for pairs in a disjunction, but not for a list of pairs.
impl QueryFragment<Sqlite> for EventSequences {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        // An empty filter matches no event.
        out.push_sql(if self.payments.is_empty() { "(FALSE" } else { "(" });
        for (index, (payment, sequence)) in self.payments.iter().zip(&self.sequences).enumerate() {
            out.push_sql(if index == 0 { "(events.payment = " } else { " OR (events.payment = " });
            out.push_bind_param::<Text, _>(payment)?;
            out.push_sql(" AND events.sequence = ");
            out.push_bind_param::<BigInt, _>(sequence)?;
            out.push_sql(")");
        }
        out.push_sql(")");
        Ok(())
    }
}
