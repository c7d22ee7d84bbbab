use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::credential::{CheckoutToken, MerchantKey};

use crate::{Tenant, Unavailable};

/// Knows credentials by their digest.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait CredentialStore: Send + Sync {
    /// The merchant key with that SHA-256.
    async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<KnownKey>, Unavailable>;

    /// The checkout token with that SHA-256.
    async fn find_token(&self, digest: &[u8; 32]) -> Result<Option<CheckoutToken>, Unavailable>;

    /// Forgets checkout tokens, whoever's, that expired before `expired_before`: at most `limit`. Says how many.
    async fn sweep_tokens(&self, expired_before: DateTime<Utc>, limit: u16) -> Result<u64, Unavailable>;

    /// Remembers when keys were last used. What is known to be later stays.
    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), Unavailable>;
}

/// That a merchant key was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Whose key it is.
    pub tenant: Tenant,
    /// Its SHA-256.
    pub digest: [u8; 32],
    /// When.
    pub at: DateTime<Utc>,
}

/// A merchant key, and whether its tenant may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownKey {
    /// The key.
    pub key: MerchantKey,
    /// Whether the tenant's live mode is on.
    pub is_live_enabled: bool,
}
