use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
};

use crate::write::Write;

/// Writes as one statement, which is a transaction:
///
/// ```sql
/// WITH w0 AS (INSERT ... RETURNING 1), counted_payment AS (UPDATE ... RETURNING event_sequence), ...
/// SELECT raise_unless((SELECT count(*) FROM w0) > 0, 'key_taken'), ...
/// ```
///
/// `raise_unless` aborts the statement, and so all writes, if a write that must write a row wrote none. The text depends
/// only on the kinds of the writes, so the statement is prepared once.
pub(super) struct SingleStatementBatch(pub(super) Vec<Write<Pg>>);

impl QueryId for SingleStatementBatch {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for SingleStatementBatch {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for (index, write) in self.0.iter().enumerate() {
            out.push_sql(if index == 0 { "WITH " } else { ", " });
            out.push_sql(&name(index, write));
            out.push_sql(" AS (");
            write.statement.walk_ast(out.reborrow())?;
            out.push_sql(" RETURNING ");
            out.push_sql(write.moves.map_or("1", |counter| counter.column));
            out.push_sql(")");
        }
        out.push_sql(" SELECT 1");
        for (index, write) in self.0.iter().enumerate() {
            if let Some(refused) = write.otherwise {
                out.push_sql(&format!(
                    ", raise_unless((SELECT count(*) FROM {}) > 0, '{}')",
                    name(index, write),
                    refused.as_str()
                ));
            }
        }
        Ok(())
    }
}

fn name(index: usize, write: &Write<Pg>) -> String {
    write.moves.map_or_else(|| format!("w{index}"), |counter| counter.name.to_owned())
}
