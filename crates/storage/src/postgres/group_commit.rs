//! Group commit: the commits that queue while others are on their way become one transaction, with one write to the
//! disk. Each caller waits for its own result.
//!
//! A commit that finds a free permit runs alone and at once. The other ones queue; the next free permit runs them as
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
const PERMITS: usize = 2;

/// The queue of commits of one runtime.
#[derive(Clone, Default)]
pub(super) struct GroupCommit(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Member, Sender)>,
    used_permits: usize,
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
    /// Run, and drop the permit afterwards.
    Now(Permit, Member),
    Wait(oneshot::Receiver<Result<(), Failure>>),
    Full,
}

impl GroupCommit {
    pub(super) fn join(&self, member: Member, run: RunBatch) -> Turn {
        let mut queue = self.lock();
        if queue.used_permits < PERMITS {
            queue.used_permits += 1;
            return Turn::Now(Permit { commits: self.clone(), run, has_started: true }, member);
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
pub(super) struct Permit {
    commits: GroupCommit,
    run: RunBatch,
    /// Whether the task of this permit was polled. A runtime that ends drops new tasks at once.
    has_started: bool,
}

impl Permit {
    /// Returns the next batch, without the commits of dropped callers.
    fn next(&self) -> Vec<(Member, Sender)> {
        let mut queue = self.commits.lock();
        queue.waiting.retain(|(_, sender)| !sender.is_closed());
        let size = queue.waiting.len().min(BATCH);
        queue.waiting.drain(..size).collect()
    }

    async fn run_queued(mut self) {
        self.has_started = true;
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

impl Drop for Permit {
    /// Gives the permit to the queued commits, also if its commit was canceled. Without a runtime, their callers get an
    /// error.
    fn drop(&mut self) {
        let runtime = Handle::try_current().ok().filter(|_| self.has_started);
        let mut queue = self.commits.lock();
        match runtime {
            Some(runtime) if !queue.waiting.is_empty() => {
                drop(queue);
                let (commits, run) = (self.commits.clone(), Arc::clone(&self.run));
                runtime.spawn(Self { commits, run, has_started: false }.run_queued());
            }
            Some(_) => queue.used_permits -= 1,
            None => {
                queue.used_permits -= 1;
                let left = mem::take(&mut queue.waiting);
                drop(queue);
                drop(left);
            }
        }
    }
}
