//! The hold of a running command on its idempotency key, kept up by whoever runs the command.
//!
//! A lease says how long silence is no sign of death. It is short, so that a retry after a crash
//! soon goes on; a provider may take longer to answer. So the edge, which has a timer, renews it
//! for as long as the command runs: as long as the payment itself is held, and no longer.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use ports::{KeyLease, KeyRecord};

use crate::{
    Error, Ports,
    time::{call_lease, later},
};

/// What a command holds while it runs: nothing until it wrote its key, as for a command of one
/// commit. Clones are of the same hold.
#[derive(Clone, Debug, Default)]
pub struct KeyLeaseHandle(Arc<Mutex<Option<ActiveKeyLease>>>);

#[derive(Clone, Debug)]
struct ActiveKeyLease {
    hold: KeyLease,
    /// It is renewed up to here.
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
pub async fn renew_lease(ports: &Ports, held: &KeyLeaseHandle) -> Result<(), Error> {
    let Some(ActiveKeyLease { hold, at_most }) = held.active() else { return Ok(()) };
    let now = ports.clock.now();
    let lease_until = later(now, KeyRecord::LEASE).min(at_most);
    if now < lease_until {
        ports.idempotency.renew(&hold, lease_until).await?;
    }
    Ok(())
}

/// Ends the lease of a command that failed before it had an outcome: the next caller goes on from
/// the attempt at once.
pub async fn end_lease(ports: &Ports, held: &KeyLeaseHandle) -> Result<(), Error> {
    let Some(ActiveKeyLease { hold, .. }) = held.active() else { return Ok(()) };
    ports.idempotency.renew(&hold, ports.clock.now()).await?;
    Ok(())
}
