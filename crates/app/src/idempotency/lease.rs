//! Lease of a running command on its idempotency key.
//!
//! The lease is short, so that a retry soon resumes the command after a crash; a provider may take longer to respond.
//! So the edge, which has a timer, renews the lease while the command runs, at most until the end of the lease on the
//! payment itself.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
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
    hold: KeyLease,
    /// Maximum end of the lease.
    at_most: DateTime<Utc>,
}

impl KeyLeaseHandle {
    /// The key was durably written at this epoch.
    pub(crate) fn locked(&self, record: &KeyRecord, now: DateTime<Utc>) {
        let hold = KeyLease { scope: record.scope.clone(), digest: record.digest, epoch: record.epoch };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(ActiveKeyLease { hold, at_most: call_lease(now) });
    }

    fn active(&self) -> Option<ActiveKeyLease> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Renews the lease of a command that still runs.
pub async fn renew_lease(ports: &Ports, handle: &KeyLeaseHandle) -> Result<(), Error> {
    let Some(ActiveKeyLease { hold, at_most }) = handle.active() else { return Ok(()) };
    let now = ports.clock.now();
    let lease_until = later(now, KeyRecord::LEASE).min(at_most);
    if now < lease_until {
        ports.idempotency.renew(&hold, lease_until).await?;
    }
    Ok(())
}

/// Ends the lease of a command that failed without an outcome: the next request resumes from the attempt at once.
pub async fn end_lease(ports: &Ports, handle: &KeyLeaseHandle) -> Result<(), Error> {
    let Some(ActiveKeyLease { hold, .. }) = handle.active() else { return Ok(()) };
    ports.idempotency.renew(&hold, ports.clock.now()).await?;
    Ok(())
}
