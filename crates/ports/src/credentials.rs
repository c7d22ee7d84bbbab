use async_trait::async_trait;
use domain::credential::{CheckoutToken, MerchantKey};

use crate::Unavailable;

/// Knows credentials by their digest.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait CredentialStore: Send + Sync {
    /// The merchant key with that SHA-256.
    async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<KnownKey>, Unavailable>;

    /// The checkout token with that SHA-256.
    async fn find_token(&self, digest: &[u8; 32]) -> Result<Option<CheckoutToken>, Unavailable>;
}

/// A merchant key, and whether its tenant may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownKey {
    /// The key.
    pub key: MerchantKey,
    /// Whether the tenant's live mode is on.
    pub is_live_enabled: bool,
}
