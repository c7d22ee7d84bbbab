use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
};

use crate::write::Write;

/// Writes as one statement, which PostgreSQL takes as a transaction:
///
/// ```sql
/// WITH w0 AS (INSERT ... RETURNING 1), counted_payment AS (UPDATE ... RETURNING event_sequence), ...
/// SELECT raise_unless((SELECT count(*) FROM w0) > 0, 'key_taken'), ...
/// ```
///
/// `raise_unless` ends the statement, and so all of the writes, where one that must write did not. The
/// text depends on nothing but the kinds of writes, so it is prepared once and then remembered.
pub(super) struct SingleStatementBatch(pub(super) Vec<Write<Pg>>);

impl QueryId for SingleStatementBatch {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for SingleStatementBatch {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for (place, write) in self.0.iter().enumerate() {
            out.push_sql(if place == 0 { "WITH " } else { ", " });
            out.push_sql(&name(place, write));
            out.push_sql(" AS (");
            write.statement.walk_ast(out.reborrow())?;
            out.push_sql(" RETURNING ");
            out.push_sql(write.moves.map_or("1", |it| it.column));
            out.push_sql(")");
        }
        out.push_sql(" SELECT 1");
        for (place, write) in self.0.iter().enumerate() {
            if let Some(refused) = write.otherwise {
                out.push_sql(&format!(
                    ", raise_unless((SELECT count(*) FROM {}) > 0, '{}')",
                    name(place, write),
                    refused.as_str()
                ));
            }
        }
        Ok(())
    }
}

fn name(place: usize, write: &Write<Pg>) -> String {
    write.moves.map_or_else(|| format!("w{place}"), |it| it.name.to_owned())
}
