use diesel::{
    QueryResult, RunQueryDsl,
    query_builder::{AstPass, QueryFragment, QueryId},
    sqlite::Sqlite as Backend,
};

use super::Sqlite;
use crate::{failure::Failure, scope::Scope, write::Write};

impl Sqlite {
    /// All of the writes, or none of them: one transaction, which is the only writer from its
    /// beginning.
    pub(super) async fn apply(&self, _: Scope, writes: Vec<Write<Backend>>) -> Result<(), Failure> {
        self.writer
            .run(|connection| {
                connection.immediate_transaction(|connection| {
                    for Write { statement, otherwise, .. } in writes {
                        let rows = Statement(statement).execute(connection)?;
                        if let (0, Some(refused)) = (rows, otherwise) {
                            return Err(Failure::Refused(refused));
                        }
                    }
                    Ok(())
                })
            })
            .await
    }
}

/// A statement whose type was forgotten.
pub(super) struct Statement(pub(super) Box<dyn QueryFragment<Backend> + Send>);

impl QueryId for Statement {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Backend> for Statement {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

impl<C> RunQueryDsl<C> for Statement {}
