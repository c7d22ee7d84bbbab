//! Accounts from the credential store.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::MerchantAccountId;
use parking_lot::Mutex;
use ports::{Clock, CredentialVault, SecretOf, SecretStore, StoredSecret};

use crate::{AccountUnavailable, AzulAccount, AzulAccounts, credentials};

/// Time for which cached credentials are used that may have been replaced.
const MAX_AGE: TimeDelta = TimeDelta::seconds(2);
/// Maximum number of cached accounts.
const MAX_CACHED: usize = 256;

/// Decrypts stored credentials, and caches them briefly.
pub struct StoredAccounts {
    secrets: Arc<dyn SecretStore>,
    vault: Arc<dyn CredentialVault>,
    clock: Arc<dyn Clock>,
    cached: Mutex<BTreeMap<MerchantAccountId, CachedAccount>>,
}

/// An account and the time at which it was read.
type CachedAccount = (DateTime<Utc>, Arc<AzulAccount>);

impl StoredAccounts {
    /// Creates a cache of the accounts in `secrets`, which `vault` decrypts.
    pub fn new(secrets: Arc<dyn SecretStore>, vault: Arc<dyn CredentialVault>, clock: Arc<dyn Clock>) -> Self {
        Self { secrets, vault, clock, cached: Mutex::default() }
    }

    fn find_cached(&self, of: &MerchantAccountId, now: DateTime<Utc>) -> Option<Arc<AzulAccount>> {
        let cached = self.cached.lock();
        let (read_at, account) = cached.get(of)?;
        let age = now.signed_duration_since(*read_at);
        (TimeDelta::zero() <= age && age < MAX_AGE).then(|| Arc::clone(account))
    }

    fn cache(&self, of: &MerchantAccountId, now: DateTime<Utc>, account: &Arc<AzulAccount>) {
        let mut cached = self.cached.lock();
        if cached.len() >= MAX_CACHED {
            cached.clear();
        }
        cached.insert(of.clone(), (now, Arc::clone(account)));
    }

    fn open(&self, stored: &StoredSecret) -> Result<AzulAccount, AccountUnavailable> {
        let SecretOf::Account(_, version) = stored.location.of else { return Err(AccountUnavailable::Missing) };
        let credentials =
            self.vault.open(&stored.location.context(), &stored.sealed).map_err(|_| AccountUnavailable::Sealed)?;
        // Stored credentials passed the rules of their time; stricter rules may apply since.
        credentials::read(stored.location.tenant.mode, version, &credentials).map_err(|fault| {
            tracing::error!(location = stored.location.context(), %fault, "stored credentials are invalid");
            AccountUnavailable::Missing
        })
    }
}

#[async_trait]
impl AzulAccounts for StoredAccounts {
    async fn account(&self, of: &MerchantAccountId) -> Result<Arc<AzulAccount>, AccountUnavailable> {
        let now = self.clock.now();
        if let Some(account) = self.find_cached(of, now) {
            return Ok(account);
        }
        let stored = self.secrets.credentials(of).await.map_err(|error| {
            tracing::error!(account = %of, error = &error as &dyn std::error::Error, "credentials cannot be read");
            AccountUnavailable::Sealed
        })?;
        let account = Arc::new(self.open(&stored.ok_or(AccountUnavailable::Missing)?)?);
        self.cache(of, now, &account);
        Ok(account)
    }
}
