//! Commands in tasks of their own.

use std::{any::Any, panic::AssertUnwindSafe, pin::pin, time::Duration};

use actix_web::rt::spawn;
use app::{Error, IdempotentRequest, KeyLeaseHandle, Ports, end_lease, renew_lease};
use futures_util::FutureExt;
use tokio::time::sleep;
use tracing::Instrument;

use crate::{limits::RequestPermit, problem::Problem, state::State};

tokio::task_local! {
    /// Permit of the request that is being served.
    static PERMIT: RequestPermit;
}

/// Serves a request that has a permit. A command that outlives the request keeps the permit.
pub(crate) async fn with_permit<T>(permit: RequestPermit, request: impl Future<Output = T>) -> T {
    PERMIT.scope(permit, request).await
}

/// Lease of a command on its idempotency key, renewed while the command runs.
pub(crate) struct KeyLease {
    ports: Ports,
    handle: KeyLeaseHandle,
    interval: Duration,
}

impl KeyLease {
    pub(crate) fn of(state: &State, idempotent: &IdempotentRequest) -> Self {
        Self { ports: state.ports.clone(), handle: idempotent.lease.clone(), interval: state.lease_renewal }
    }

    /// Renews the lease. If the renewal fails, the command continues: after the lease ends, another request may take
    /// over and look up the outcome.
    async fn renew(&self) {
        if let Err(error) = renew_lease(&self.ports, &self.handle).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the lease on an idempotency key was not renewed");
        }
    }

    /// Ends the lease after a failure, so that a retry need not wait.
    async fn end(&self) {
        if let Err(error) = end_lease(&self.ports, &self.handle).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the lease on an idempotency key was not ended");
        }
    }
}

/// Runs a command to the end, even if the client disconnects: a command that is dropped between two commits would leave
/// a charge with an unknown outcome.
pub(crate) async fn run_to_completion<T: 'static>(
    lease: KeyLease,
    command: impl Future<Output = Result<T, Error>> + 'static,
) -> Result<T, Problem> {
    let permit = PERMIT.try_with(RequestPermit::clone).ok();
    let task = async move {
        let result = run(lease, command).await;
        drop(permit);
        result
    };
    match spawn(task.in_current_span()).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(Error::internal("the server is stopping").into()),
    }
}

async fn run<T>(lease: KeyLease, command: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let mut command = pin!(AssertUnwindSafe(command).catch_unwind());
    let result = loop {
        tokio::select! {
            biased;
            result = &mut command => break result,
            () = sleep(lease.interval) => {}
        }
        let mut renewal = pin!(lease.renew());
        tokio::select! {
            biased;
            result = &mut command => {
                // A running statement that is dropped costs a database connection.
                renewal.await;
                break result;
            }
            () = &mut renewal => {}
        }
    };
    let result = result.unwrap_or_else(panicked);
    if result.is_err() {
        lease.end().await;
    }
    result
}

/// Returns an error without the panic's message, which may contain secrets. The panic hook logged the location.
fn panicked<T>(_: Box<dyn Any + Send>) -> Result<T, Error> {
    Err(Error::internal("a command panicked"))
}
