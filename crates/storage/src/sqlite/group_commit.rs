//! Group commit: the commits that queue while the writer is busy become one transaction, with one write to the disk.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use diesel::{QueryResult, SqliteConnection, connection::Connection, sqlite::Sqlite as Backend};
use tokio::sync::oneshot;

use crate::{failure::Failure, write::Write};

/// Maximum number of commits of one transaction.
const BATCH: usize = 32;

/// Commits without a transaction.
#[derive(Clone, Default)]
pub(super) struct CommitQueue(Arc<Mutex<VecDeque<Member>>>);

struct Member {
    writes: Vec<Write<Backend>>,
    sender: oneshot::Sender<Result<(), Failure>>,
}

impl CommitQueue {
    /// Queues a commit. Returns the receiver of its result.
    pub(super) fn push(&self, writes: Vec<Write<Backend>>) -> oneshot::Receiver<Result<(), Failure>> {
        let (sender, receiver) = oneshot::channel();
        self.lock().push_back(Member { writes, sender });
        receiver
    }

    /// Runs the next batch in one transaction. A result is sent when the batch is on the disk.
    pub(super) fn run_batch(&self, connection: &mut SqliteConnection) -> QueryResult<()> {
        let batch = self.next();
        let (commits, senders): (Vec<_>, Vec<_>) = batch.into_iter().map(|it| (it.writes, it.sender)).unzip();
        let results = match commits.as_slice() {
            [] => Vec::new(),
            [commit] => vec![connection.immediate_transaction(|connection| run(connection, commit))],
            commits => connection.immediate_transaction(|connection| {
                // A transaction in another one is a savepoint: a refused commit is rolled back alone.
                let each = commits.iter().map(|commit| connection.transaction(|connection| run(connection, commit)));
                QueryResult::Ok(each.collect())
            })?,
        };
        for (sender, result) in senders.into_iter().zip(results) {
            // A caller that is gone reads the result from the database.
            let _ = sender.send(result);
        }
        Ok(())
    }

    /// Returns the next batch, without the commits of dropped callers.
    fn next(&self) -> Vec<Member> {
        let mut queue = self.lock();
        queue.retain(|member| !member.sender.is_closed());
        let size = queue.len().min(BATCH);
        queue.drain(..size).collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Member>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(connection: &mut SqliteConnection, writes: &[Write<Backend>]) -> Result<(), Failure> {
    for Write { statement, otherwise, .. } in writes {
        let rows = connection.execute_returning_count(statement)?;
        if let (0, Some(refused)) = (rows, *otherwise) {
            return Err(Failure::Refused(refused));
        }
    }
    Ok(())
}
