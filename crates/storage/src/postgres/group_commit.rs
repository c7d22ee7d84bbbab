//! Group commit: the commits that queue while others are on their way become one transaction, with one write to the
//! disk. Each caller waits for its own result.
//!
//! A commit that finds a free lane runs alone and at once. The other ones queue; the next free lane runs them as
//! `BEGIN`, the statement of each, `COMMIT`, all in one round trip. If one statement fails, the database rolls the
//! whole transaction back, and each commit runs again in a transaction of its own. If the result is unknown, it is
//! unknown for each.

use std::{
    collections::VecDeque,
    future::poll_fn,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
};

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection};
use futures_util::{
    FutureExt,
    future::{BoxFuture, join_all, maybe_done},
};
use tokio::{runtime::Handle, sync::oneshot, time::timeout};

use super::{
    Postgres,
    batch::SingleStatementBatch,
    run::{NO_RESPONSE, TIMEOUT},
    session::set_tenant,
};
use crate::{
    failure::{Failure, unavailable},
    query::AnyStatement,
    scope::Scope,
    sql::SqlFile,
    write::Write,
};

/// Maximum number of commits of one transaction, which must end within the timeout of a statement.
const BATCH: usize = 32;
/// Maximum number of queued commits of one runtime.
const QUEUE: usize = 1024;
/// Transactions of one runtime at the same time: one that waits for a lock does not hold up the others.
const LANES: usize = 2;

const BEGIN: SqlFile<Pg> = SqlFile { text: "BEGIN", binds: Vec::new() };
const COMMIT: SqlFile<Pg> = SqlFile { text: "COMMIT", binds: Vec::new() };

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
struct Member {
    scope: Scope,
    statement: AnyStatement<Pg>,
}

enum Turn {
    Now(Lane, Member),
    Queued(oneshot::Receiver<Result<(), Failure>>),
    Full,
}

impl GroupCommit {
    fn join(&self, store: &Postgres, member: Member) -> Turn {
        let mut queue = self.lock();
        if queue.busy_lanes < LANES {
            queue.busy_lanes += 1;
            return Turn::Now(Lane { commits: self.clone(), store: store.clone() }, member);
        }
        if queue.waiting.len() == QUEUE {
            return Turn::Full;
        }
        let (sender, receiver) = oneshot::channel();
        queue.waiting.push_back((member, sender));
        Turn::Queued(receiver)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to run a transaction.
struct Lane {
    commits: GroupCommit,
    store: Postgres,
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
        let results = self.store.commit_batch(&members).await;
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
                let lane = Self { commits: self.commits.clone(), store: self.store.clone() };
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

impl Postgres {
    /// Applies all writes or none, as one statement.
    pub(super) async fn apply(&self, scope: Scope, writes: Vec<Write<Pg>>) -> Result<(), Failure> {
        let member = Member { scope, statement: AnyStatement::statement(SingleStatementBatch(writes)) };
        match self.pools.commits().map_err(unavailable)?.join(self, member) {
            Turn::Now(_lane, member) => self.commit_alone(&member).await,
            Turn::Queued(result) => match timeout(TIMEOUT, result).await {
                Ok(Ok(result)) => result,
                Ok(Err(_)) | Err(_) => Err(unavailable(NO_RESPONSE).into()),
            },
            Turn::Full => Err(unavailable("too many commits are queued").into()),
        }
    }

    async fn commit_alone(&self, Member { scope, statement }: &Member) -> Result<(), Failure> {
        self.run_statement(scope, statement).await.map(drop)
    }

    /// Returns the result of each commit.
    async fn commit_batch(&self, members: &[Member]) -> Vec<Result<(), Failure>> {
        if let [member] = members {
            return vec![self.commit_alone(member).await];
        }
        let transaction = self.read(|connection| async move { run_in_order(&connection, members).await });
        match transaction.await {
            Ok(Transaction::Committed) => members.iter().map(|_| Ok(())).collect(),
            Ok(Transaction::RolledBack) => join_all(members.iter().map(|member| self.commit_alone(member))).await,
            Err(failure) => {
                tracing::warn!(?failure, commits = members.len(), "the result of a transaction is unknown");
                members.iter().map(|_| Err(unavailable(NO_RESPONSE).into())).collect()
            }
        }
    }
}

/// Result of a transaction whose end the database has confirmed.
enum Transaction {
    Committed,
    RolledBack,
}

/// Runs the statements of all members in one transaction. An error means that the result is unknown.
///
/// A connection sends statements in the order of their first polls. If a statement is not prepared yet, later ones
/// wait for the lock of its prepared statements, which is fair.
async fn run_in_order(connection: &AsyncPgConnection, members: &[Member]) -> QueryResult<Transaction> {
    let mut statements = vec![execute(connection, BEGIN)];
    for member in members {
        statements.push(set_tenant(member.scope.clone(), connection).boxed());
        statements.push(execute(connection, &member.statement));
    }
    statements.push(execute(connection, COMMIT));

    let mut statements: Vec<_> = statements.into_iter().map(maybe_done).collect();
    let send_all = poll_fn(|context| {
        for statement in &mut statements {
            // The loop below waits for the result.
            let _ = statement.poll_unpin(context);
        }
        Poll::Ready(())
    });
    tokio::task::unconstrained(send_all).await;
    let mut results = Vec::with_capacity(statements.len());
    for statement in &mut statements {
        (&mut *statement).await;
        results.extend(Pin::new(statement).take_output());
    }
    // After an error the database rolls back, and confirms `COMMIT` nevertheless.
    let (Some(committed), Some(begun)) = (results.pop(), results.first()) else { return Ok(Transaction::RolledBack) };
    let has_begun = begun.is_ok();
    let failure = results.into_iter().find_map(Result::err);
    match (failure, committed) {
        (None, Ok(())) => Ok(Transaction::Committed),
        (Some(_), Ok(())) if has_begun => Ok(Transaction::RolledBack),
        (Some(unknown), _) | (None, Err(unknown)) => Err(unknown),
    }
}

fn execute<'a, S>(mut connection: &'a AsyncPgConnection, statement: S) -> BoxFuture<'a, QueryResult<()>>
where
    S: QueryFragment<Pg> + QueryId + Send + 'a,
{
    async move { connection.execute_returning_count(statement).await.map(drop) }.boxed()
}
