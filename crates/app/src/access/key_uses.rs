//! Times of the last use of merchant keys: collected in memory, and stored periodically.
//!
//! They are not stored with the request: otherwise a read would wait for a write, and fail when writes fail.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ports::KeyUse;

use crate::{Caller, Error, Ports};

/// Uses that are not stored yet. Clones share the same collection.
#[derive(Clone, Debug, Default)]
pub struct KeyUses(Arc<Mutex<BTreeMap<[u8; 32], KeyUse>>>);

impl KeyUses {
    /// Maximum number of keys in memory. A use beyond the maximum is recorded with the next use of that key.
    const MOST: usize = 10_000;

    /// Records a use, if the caller has a merchant key.
    pub fn note(&self, ports: &Ports, caller: &Caller) {
        let Caller::Merchant { key, .. } = caller else { return };
        self.keep(KeyUse { tenant: caller.tenant(), digest: key.digest, at: ports.clock.now() });
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

/// Stores the collected uses. After a failure they stay in memory for the next run.
pub async fn write_key_uses(ports: &Ports, uses: &KeyUses) -> Result<(), Error> {
    if ports.work_time().is_none() {
        return Ok(());
    }
    let noted: Vec<KeyUse> = std::mem::take(&mut *uses.lock()).into_values().collect();
    if noted.is_empty() {
        return Ok(());
    }
    ports.credentials.note_uses(&noted).await.inspect_err(|_| noted.into_iter().for_each(|it| uses.keep(it)))?;
    Ok(())
}
