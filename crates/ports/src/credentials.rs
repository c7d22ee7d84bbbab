use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    PaymentId,
    credential::{CheckoutToken, MerchantKey},
};

use crate::{Tenant, Unavailable};

/// Knows credentials by their digest.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait CredentialStore: Send + Sync {
    /// The merchant key with that SHA-256.
    async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<StoredKey>, Unavailable>;

    /// The checkout token with that SHA-256.
    async fn find_token(&self, digest: &[u8; 32]) -> Result<Option<CheckoutToken>, Unavailable>;

    /// Returns the number of sessions in force at `now` that the link of the payment opened.
    async fn live_sessions(&self, tenant: &Tenant, payment: &PaymentId, now: DateTime<Utc>)
    -> Result<u64, Unavailable>;

    /// Deletes the `count` idle sessions of the payment that were seen longest ago. Returns the number of deleted
    /// sessions.
    async fn end_idle_sessions(&self, tenant: &Tenant, payment: &PaymentId, count: u64) -> Result<u64, Unavailable>;

    /// Stores the state of a session, if the stored session is idle.
    async fn note_session(&self, token: &CheckoutToken) -> Result<(), Unavailable>;

    /// Deletes checkout tokens of every tenant that expired before `expired_before`, and idle sessions last seen before
    /// `idle_before`: at most `limit`. Returns the number of deleted rows.
    async fn sweep_tokens(
        &self,
        expired_before: DateTime<Utc>,
        idle_before: DateTime<Utc>,
        limit: u16,
    ) -> Result<u64, Unavailable>;

    /// Stores the times when keys were last used. A later stored time stays.
    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), Unavailable>;
}

/// That a merchant key was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The tenant.
    pub tenant: Tenant,
    /// SHA-256 of the key.
    pub digest: [u8; 32],
    /// When.
    pub at: DateTime<Utc>,
}

/// A merchant key, and whether its tenant may use live mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// The key.
    pub key: MerchantKey,
    /// Whether the tenant's live mode is on.
    pub is_live_enabled: bool,
}
