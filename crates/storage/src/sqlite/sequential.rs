use diesel::{connection::Connection, sqlite::Sqlite as Backend};

use super::Sqlite;
use crate::{failure::Failure, scope::Scope, write::Write};

impl Sqlite {
    /// Applies all writes or none: they are one transaction, which is the only writer from the start.
    pub(super) async fn apply(&self, _: Scope, writes: Vec<Write<Backend>>) -> Result<(), Failure> {
        self.writer
            .run(|connection| {
                connection.immediate_transaction(|connection| {
                    for Write { statement, otherwise, .. } in writes {
                        let rows = connection.execute_returning_count(&statement)?;
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
