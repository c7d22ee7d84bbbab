//! Group commit: the commits that queue while others are on their way become one transaction, with one write to the
//! disk. Each caller waits for its own result.
//!
//! A commit that finds a free lane runs alone and at once. The other ones queue; the next free lane runs them as
//! `BEGIN`, the statement of each, `COMMIT`, all in one round trip. If one statement fails, the database rolls the
//! whole transaction back, and each commit runs again in a transaction of its own. If the result is unknown, it is
//! unknown for each.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use diesel::pg::Pg;
use futures_util::future::BoxFuture;
use tokio::{runtime::Handle, sync::oneshot};

use crate::{failure::Failure, query::AnyStatement, scope::Scope};

/// Maximum number of commits of one transaction, which must end within the timeout of a statement.
const BATCH: usize = 32;
/// Maximum number of queued commits of one runtime.
const QUEUE: usize = 1024;
/// Transactions of one runtime at the same time: one that waits for a lock does not hold up the others.
const LANES: usize = 2;

/// The queue of commits of one runtime.
#[derive(Clone, Default)]
pub(super) struct GroupCommit(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Member, Sender)>,
    busy_lanes: usize,
}

type Sender = oneshot::Sender<Result<(), Failure>>;

/// One commit.
pub(super) struct Member {
    pub(super) scope: Scope,
    pub(super) statement: AnyStatement<Pg>,
}

/// Runs the members of a batch. Returns the result of each.
pub(super) type RunBatch = Arc<dyn Fn(Vec<Member>) -> BoxFuture<'static, Vec<Result<(), Failure>>> + Send + Sync>;

/// What a commit has to do.
pub(super) enum Turn {
    /// Run, and drop the lane afterwards.
    Now(Lane, Member),
    Wait(oneshot::Receiver<Result<(), Failure>>),
    Full,
}

impl GroupCommit {
    pub(super) fn join(&self, member: Member, run: RunBatch) -> Turn {
        let mut queue = self.lock();
        if queue.busy_lanes < LANES {
            queue.busy_lanes += 1;
            return Turn::Now(Lane { commits: self.clone(), run }, member);
        }
        if queue.waiting.len() == QUEUE {
            return Turn::Full;
        }
        let (sender, receiver) = oneshot::channel();
        queue.waiting.push_back((member, sender));
        Turn::Wait(receiver)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to run a transaction.
pub(super) struct Lane {
    commits: GroupCommit,
    run: RunBatch,
}

impl Lane {
    /// Returns the next batch, without the commits of dropped callers.
    fn next(&self) -> Vec<(Member, Sender)> {
        let mut queue = self.commits.lock();
        queue.waiting.retain(|(_, sender)| !sender.is_closed());
        let size = queue.waiting.len().min(BATCH);
        queue.waiting.drain(..size).collect()
    }

    async fn run_queued(self) {
        let batch = self.next();
        if batch.is_empty() {
            return;
        }
        let (members, senders): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let results = (self.run)(members).await;
        for (sender, result) in senders.into_iter().zip(results) {
            // A caller that is gone reads the result from the database.
            let _ = sender.send(result);
        }
    }
}

impl Drop for Lane {
    /// Gives the lane to the queued commits, also if its commit was canceled.
    fn drop(&mut self) {
        let mut queue = self.commits.lock();
        let runtime = Handle::try_current();
        match runtime {
            Ok(runtime) if !queue.waiting.is_empty() => {
                let lane = Self { commits: self.commits.clone(), run: Arc::clone(&self.run) };
                drop(queue);
                runtime.spawn(lane.run_queued());
            }
            _ => {
                queue.busy_lanes -= 1;
                // Without a runtime, the queued callers get an error.
                let left = if runtime.is_err() { mem::take(&mut queue.waiting) } else { VecDeque::new() };
                drop(queue);
                drop(left);
            }
        }
    }
}
