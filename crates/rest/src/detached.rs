use std::{any::Any, panic::AssertUnwindSafe, pin::pin, time::Duration};

use app::{Error, IdempotentRequest, KeyLeaseHandle, Ports, end_lease, renew_lease};
use futures_util::FutureExt;
use tokio::time::sleep;
use tracing::Instrument;

use crate::{State, limits::Place, problem::Problem};

tokio::task_local! {
    /// The place of the exchange that is being served.
    static PLACE: Place;
}

/// Serves an exchange that has a place. What outlives it keeps the place.
pub(crate) async fn holding<T>(place: Place, exchange: impl Future<Output = T>) -> T {
    PLACE.scope(place, exchange).await
}

/// The lease of a command on its idempotency key, kept up while the command runs.
pub(crate) struct Lease {
    ports: Ports,
    held: KeyLeaseHandle,
    every: Duration,
}

impl Lease {
    pub(crate) fn of(state: &State, keyed: &IdempotentRequest) -> Self {
        Self { ports: state.ports.clone(), held: keyed.lease.clone(), every: state.lease_renewal }
    }

    /// Renews it. If that fails the command goes on all the same: others may then take over, and
    /// look up what became of it.
    async fn renew(&self) {
        if let Err(error) = renew_lease(&self.ports, &self.held).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "a lease could not be renewed");
        }
    }

    /// Gives it up after a failure, so that the next caller need not wait until it ends.
    async fn end(&self) {
        if let Err(error) = end_lease(&self.ports, &self.held).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "a lease could not be ended");
        }
    }
}

/// Runs a command to its end, even if its client hangs up meanwhile: dropped between two commits it
/// would leave a card that nobody knows the outcome of.
pub(crate) async fn to_its_end<T: Send + 'static>(
    lease: Lease,
    command: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Problem> {
    let place = PLACE.try_with(Place::clone).ok();
    let holding_on = async move {
        let done = run(lease, command).await;
        drop(place);
        done
    };
    match tokio::spawn(holding_on.in_current_span()).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(Error::internal("the server is stopping").into()),
    }
}

async fn run<T>(lease: Lease, command: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let mut command = pin!(AssertUnwindSafe(command).catch_unwind());
    let done = loop {
        tokio::select! {
            biased;
            done = &mut command => break done,
            () = sleep(lease.every) => {}
        }
        let mut renewal = pin!(lease.renew());
        tokio::select! {
            biased;
            done = &mut command => {
                // A statement that is cut off in the middle costs its connection.
                renewal.await;
                break done;
            }
            () = &mut renewal => {}
        }
    };
    let done = done.unwrap_or_else(panicked);
    if done.is_err() {
        lease.end().await;
    }
    done
}

/// The cause has been logged where it happened, and may say what nobody should hear.
fn panicked<T>(_: Box<dyn Any + Send>) -> Result<T, Error> {
    Err(Error::internal("a command panicked"))
}
