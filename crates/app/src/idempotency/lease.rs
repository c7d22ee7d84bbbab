//! Lease of a running command on its idempotency key.
//!
//! The lease is short, so that a retry soon resumes the command after a crash; a provider may take longer to respond.
//! So the edge, which has a timer, renews the lease while the command runs, at most until the end of the lease on the
//! payment itself.

use std::{
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Utc};
use futures_util::{
    FutureExt,
    future::{Either, select},
};
use ports::{KeyLease, KeyRecord};

use crate::{
    Error, Ports,
    time::{call_lease, later},
};

/// Handle on the lease of a command, empty until the key is locked, as for a command of one commit. Clones share the
/// lease.
#[derive(Clone, Debug, Default)]
pub struct KeyLeaseHandle(Arc<Mutex<Option<ActiveKeyLease>>>);

#[derive(Clone, Debug)]
struct ActiveKeyLease {
    lease: KeyLease,
    /// Maximum end of the lease.
    at_most: DateTime<Utc>,
}

impl KeyLeaseHandle {
    /// The key was durably written at this epoch.
    pub(crate) fn locked(&self, record: &KeyRecord, now: DateTime<Utc>) {
        let lease = KeyLease { scope: record.scope.clone(), digest: record.digest, epoch: record.epoch };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(ActiveKeyLease { lease, at_most: call_lease(now) });
    }

    fn active(&self) -> Option<ActiveKeyLease> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs a command to its end, and renews the lease on its idempotency key each time that a `pause` ends. If a renewal
/// fails, the command continues: after the lease ends, another request may take over and look up the outcome.
///
/// # Errors
///
/// Of the command. A panic is an error without its message, which may contain secrets: the panic hook logged the
/// location.
pub async fn run_with_lease<T, P: Future<Output = ()>>(
    ports: &Ports,
    handle: &KeyLeaseHandle,
    command: impl Future<Output = Result<T, Error>>,
    pause: impl Fn() -> P,
) -> Result<T, Error> {
    let mut command = pin!(AssertUnwindSafe(command).catch_unwind());
    let outcome = loop {
        if let Either::Left((outcome, _)) = select(command.as_mut(), pin!(pause())).await {
            break outcome;
        }
        if let Either::Left((outcome, renewal)) = select(command.as_mut(), pin!(renew(ports, handle))).await {
            // A running statement that is dropped costs a database connection.
            renewal.await;
            break outcome;
        }
    };
    let result = outcome.unwrap_or_else(|_| Err(Error::internal("a command panicked")));
    // After a failure, a retry need not wait.
    if result.is_err()
        && let Err(error) = end_lease(ports, handle).await
    {
        tracing::warn!(error = &error as &dyn std::error::Error, "the lease on an idempotency key was not ended");
    }
    result
}

/// Renews the lease of a command that still runs.
async fn renew(ports: &Ports, handle: &KeyLeaseHandle) {
    let Some(ActiveKeyLease { lease, at_most }) = handle.active() else { return };
    let now = ports.clock.now();
    let lease_until = later(now, KeyRecord::LEASE).min(at_most);
    if now < lease_until
        && let Err(error) = ports.idempotency.renew(&lease, lease_until).await
    {
        tracing::warn!(error = &error as &dyn std::error::Error, "the lease on an idempotency key was not renewed");
    }
}

/// Ends the lease of a command that failed without an outcome: the next request resumes from the attempt at once.
pub async fn end_lease(ports: &Ports, handle: &KeyLeaseHandle) -> Result<(), Error> {
    let Some(ActiveKeyLease { lease, .. }) = handle.active() else { return Ok(()) };
    ports.idempotency.renew(&lease, ports.clock.now()).await?;
    Ok(())
}
