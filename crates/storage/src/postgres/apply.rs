//! Transactions of one or several commits.

use std::{future::poll_fn, pin::Pin, sync::Arc, task::Poll};

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
use tokio::time::timeout;

use super::{
    Postgres,
    batch::SingleStatementBatch,
    group_commit::{Member, RunBatch, Turn},
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

const BEGIN: SqlFile<Pg> = SqlFile { text: "BEGIN", binds: Vec::new() };
const COMMIT: SqlFile<Pg> = SqlFile { text: "COMMIT", binds: Vec::new() };

impl Postgres {
    /// Applies all writes or none, as one statement.
    pub(super) async fn apply(&self, scope: Scope, writes: Vec<Write<Pg>>) -> Result<(), Failure> {
        let member = Member { scope, statement: AnyStatement::statement(SingleStatementBatch(writes)) };
        let store = self.clone();
        let run: RunBatch = Arc::new(move |members| {
            let store = store.clone();
            async move { store.commit_batch(&members).await }.boxed()
        });
        match self.pools.commits().map_err(unavailable)?.join(member, run) {
            Turn::Now(_permit, member) => self.commit_alone(&member).await,
            Turn::Wait(result) => match timeout(TIMEOUT, result).await {
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
