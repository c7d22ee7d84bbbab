//! Commands in separate tasks.

use actix_web::rt::spawn;
use app::{Error, KeyLeaseHandle, run_with_lease};
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

/// Runs a command to the end, even if the client disconnects: a command that is dropped between two commits would leave
/// a charge with an unknown outcome. Renews the lease on the idempotency key meanwhile.
pub(crate) async fn run_to_completion<T: 'static>(
    state: &State,
    lease: KeyLeaseHandle,
    command: impl Future<Output = Result<T, Error>> + 'static,
) -> Result<T, Problem> {
    let (ports, interval) = (state.ports.clone(), state.lease_renewal);
    let permit = PERMIT.try_with(RequestPermit::clone).ok();
    let task = async move {
        let result = run_with_lease(&ports, &lease, command, || sleep(interval)).await;
        drop(permit);
        result
    };
    match spawn(task.in_current_span()).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(Error::internal("the server is stopping").into()),
    }
}
