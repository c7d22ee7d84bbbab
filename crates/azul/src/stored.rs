//! The accounts whose credentials the store keeps.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::MerchantAccountId;
use ports::{Clock, CredentialVault, SecretOf, SecretStore, StoredSecret};

use crate::{AccountUnavailable, AzulAccount, AzulAccounts, credentials};

/// For how long credentials are used that may have been replaced.
const FRESH: TimeDelta = TimeDelta::seconds(2);
/// How many accounts are remembered.
const REMEMBERED: usize = 256;

/// Opens what is stored, and remembers it for a moment.
pub struct StoredAccounts {
    secrets: Arc<dyn SecretStore>,
    vault: Arc<dyn CredentialVault>,
    clock: Arc<dyn Clock>,
    remembered: Mutex<BTreeMap<MerchantAccountId, Remembered>>,
}

/// An account as it was read, and when.
type Remembered = (DateTime<Utc>, Arc<AzulAccount>);

impl StoredAccounts {
    /// The accounts whose credentials are among `secrets` and open with `vault`.
    pub fn new(secrets: Arc<dyn SecretStore>, vault: Arc<dyn CredentialVault>, clock: Arc<dyn Clock>) -> Self {
        Self { secrets, vault, clock, remembered: Mutex::default() }
    }

    fn recall(&self, of: &MerchantAccountId, now: DateTime<Utc>) -> Option<Arc<AzulAccount>> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let (read_at, account) = remembered.get(of)?;
        let age = now.signed_duration_since(*read_at);
        (TimeDelta::zero() <= age && age < FRESH).then(|| Arc::clone(account))
    }

    fn remember(&self, of: &MerchantAccountId, now: DateTime<Utc>, account: &Arc<AzulAccount>) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(of.clone(), (now, Arc::clone(account)));
    }

    fn open(&self, stored: &StoredSecret) -> Result<AzulAccount, AccountUnavailable> {
        let SecretOf::Account(_, version) = stored.place.of else { return Err(AccountUnavailable::Missing) };
        let credentials =
            self.vault.open(&stored.place.context(), &stored.sealed).map_err(|_| AccountUnavailable::Sealed)?;
        // They were checked when they were set; what passed a check of ours that is stricter now is not used.
        credentials::read(stored.place.tenant.mode, version, &credentials).map_err(|fault| {
            tracing::error!(place = stored.place.context(), %fault, "stored credentials are not in AZUL's form");
            AccountUnavailable::Missing
        })
    }
}

#[async_trait]
impl AzulAccounts for StoredAccounts {
    async fn account(&self, of: &MerchantAccountId) -> Result<Arc<AzulAccount>, AccountUnavailable> {
        let now = self.clock.now();
        if let Some(account) = self.recall(of, now) {
            return Ok(account);
        }
        let stored = self.secrets.credentials(of).await.map_err(|error| {
            tracing::error!(account = %of, error = &error as &dyn std::error::Error, "credentials cannot be read");
            AccountUnavailable::Sealed
        })?;
        let account = Arc::new(self.open(&stored.ok_or(AccountUnavailable::Missing)?)?);
        self.remember(of, now, &account);
        Ok(account)
    }
}
