//! When merchant keys were last used: noted in memory, and written now and then.
//!
//! Never with the request: who only reads would else wait for a write, and fail when writes do.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ports::KeyUse;

use crate::{Caller, Error, Ports, Tenant};

/// Uses that nobody has written yet. Clones are of the same.
#[derive(Clone, Debug, Default)]
pub struct KeyUses(Arc<Mutex<BTreeMap<[u8; 32], KeyUse>>>);

impl KeyUses {
    /// So many keys are remembered at once. What is noted beyond them is noted with its next use.
    const MOST: usize = 10_000;

    /// Notes that somebody came, if it was with a merchant key.
    pub fn note(&self, ports: &Ports, caller: &Caller) {
        let Caller::Merchant { key, .. } = caller else { return };
        let tenant = Tenant { merchant: key.merchant.clone(), mode: key.mode };
        self.keep(KeyUse { tenant, digest: key.digest, at: ports.clock.now() });
    }

    fn keep(&self, new: KeyUse) {
        let mut uses = self.lock();
        if let Some(known) = uses.get_mut(&new.digest) {
            known.at = known.at.max(new.at);
        } else if uses.len() < Self::MOST {
            uses.insert(new.digest, new);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<[u8; 32], KeyUse>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what was noted since the last time. What could not be written is kept for the next.
pub async fn write_key_uses(ports: &Ports, uses: &KeyUses) -> Result<(), Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(());
    }
    let noted: Vec<KeyUse> = std::mem::take(&mut *uses.lock()).into_values().collect();
    if noted.is_empty() {
        return Ok(());
    }
    ports.credentials.note_uses(&noted).await.inspect_err(|_| noted.into_iter().for_each(|it| uses.keep(it)))?;
    Ok(())
}
