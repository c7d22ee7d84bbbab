use diesel::sqlite::Sqlite as Backend;

use super::Sqlite;
use crate::{
    failure::{Failure, unavailable},
    scope::Scope,
    write::Write,
};

impl Sqlite {
    /// Applies all writes or none.
    pub(super) async fn apply(&self, _: Scope, writes: Vec<Write<Backend>>) -> Result<(), Failure> {
        let mut result = self.commits.push(writes);
        let commits = self.commits.clone();
        // The writer may have run the commit in an earlier batch; then the queue has no more of it.
        let batch = self.writer.run(move |connection| commits.run_batch(connection).map_err(unavailable)).await;
        match (result.try_recv(), batch) {
            (Ok(result), _) => result,
            (Err(_), Err(failed)) => Err(failed.into()),
            (Err(_), Ok(())) => result.await.map_err(unavailable)?,
        }
    }
}
