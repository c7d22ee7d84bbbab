//! Runs one statement on one connection, with a timeout and retries.
//!
//! Each statement is a transaction. If PostgreSQL rolls it back because of a conflict (40001, 40P01) or a read-only
//! session (25006), no change was written, and the statement is retried. If the connection breaks or the timeout ends,
//! the transaction may be committed: the statement is not retried here, and the connection leaves the pool.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    sync::Arc,
    time::Duration,
};

use diesel::QueryResult;
use diesel_async::{AsyncPgConnection, pooled_connection::deadpool::Object};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::Postgres;
use crate::failure::{Failure, Outcome, unavailable};

/// Timeout of a statement with all retries. A statement that timed out may still take effect: the caller must read the
/// result from the database.
pub(super) const TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum number of retries of one statement.
const RETRIES: u32 = 5;
/// Pause before the first retry. Each further pause is twice as long, with a jitter of 50 percent.
const BACKOFF: Duration = Duration::from_millis(10);

/// Message of an error at the deadline.
pub(super) const NO_RESPONSE: &str = "the database did not answer in time";

pub(super) type Connection = Arc<Object<AsyncPgConnection>>;

impl Postgres {
    /// Runs a statement that reads.
    pub(super) async fn read<T, F>(&self, statement: impl FnOnce(Connection) -> F) -> Result<T, Failure>
    where
        F: Future<Output = QueryResult<T>>,
    {
        let deadline = Instant::now() + TIMEOUT;
        let connection = self.connection_by(deadline).await?;
        let read = by(deadline, statement(Arc::clone(&connection))).await;
        if read.as_ref().is_err_and(|failure| failure.outcome() != Outcome::Refused) {
            discard(connection);
        }
        read
    }

    /// Runs a statement that writes, a bounded number of times.
    pub(super) async fn write<T, F>(&self, statement: impl Fn(Connection) -> F) -> Result<T, Failure>
    where
        F: Future<Output = QueryResult<T>>,
    {
        let deadline = Instant::now() + TIMEOUT;
        let mut connection = self.connection_by(deadline).await?;
        let mut retry = 0;
        loop {
            let failure = match by(deadline, statement(Arc::clone(&connection))).await {
                Ok(written) => return Ok(written),
                Err(failure) => failure,
            };
            let outcome = failure.outcome();
            let next = Instant::now() + pause(retry);
            let is_last = retry == RETRIES || next >= deadline;
            match outcome {
                Outcome::Refused => return Err(failure),
                Outcome::RolledBack if !is_last => {
                    tracing::debug!(retry, ?failure, "a transaction was rolled back and is run again");
                    sleep_until(next).await;
                }
                Outcome::ReadOnly if !is_last => {
                    discard(connection);
                    connection = self.connection_by(deadline).await?;
                }
                Outcome::RolledBack | Outcome::ReadOnly | Outcome::Unknown => {
                    discard(connection);
                    return Err(failure);
                }
            }
            retry += 1;
        }
    }

    async fn connection_by(&self, deadline: Instant) -> Result<Connection, Failure> {
        let connection = timeout_at(deadline, self.connection()).await;
        Ok(Arc::new(connection.map_err(|_| unavailable(NO_RESPONSE))??))
    }
}

/// Returns the response of the database, or an error at the deadline.
async fn by<T>(deadline: Instant, response: impl Future<Output = QueryResult<T>>) -> Result<T, Failure> {
    match timeout_at(deadline, response).await {
        Ok(result) => result.map_err(Failure::from),
        Err(_) => Err(unavailable(NO_RESPONSE).into()),
    }
}

/// Closes a connection instead of returning it to the pool, which opens another one.
fn discard(connection: Connection) {
    if let Some(connection) = Arc::into_inner(connection) {
        drop(Object::take(connection));
    }
}

/// Returns the pause before a retry. By the jitter, conflicting transactions retry at different times.
fn pause(retry: u32) -> Duration {
    let chance = RandomState::new().build_hasher().finish() % 100;
    let percent = u32::try_from(chance).unwrap_or_default().saturating_add(50);
    BACKOFF.saturating_mul(1 << retry.min(RETRIES)).saturating_mul(percent) / 100
}
