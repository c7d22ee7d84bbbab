//! Accounts of merchants at AZUL.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use domain::{MerchantAccountId, Mode};
use zeroize::Zeroizing;

/// Credentials and settings of a merchant's account. Secrets are wiped when they are dropped, and not printed.
pub struct AzulAccount {
    /// Incremented when a value is replaced.
    pub version: u32,
    /// Mode of the account, which selects AZUL's environment.
    pub mode: Mode,
    /// Merchant number (`Store`).
    pub store: String,
    /// Channel (`Channel`), such as `EC`.
    pub channel: String,
    /// First half of the password.
    pub auth1: Zeroizing<String>,
    /// Second half of the password.
    pub auth2: Zeroizing<String>,
    /// Client certificate and private key, concatenated PEM.
    pub identity: Zeroizing<Vec<u8>>,
    /// Whether purchases use 3-D Secure. With a wrong value, a purchase loses the liability shift or is refused.
    pub has_3ds: bool,
    /// Whether AZUL's vault stores cards for the account.
    pub has_vault: bool,
    /// Whether AZUL takes one refund of a charge only, whole or in part.
    pub takes_one_refund: bool,
    /// Phone number of customer service, at most 32 characters; may be empty.
    pub phone: String,
    /// URL of the shop, at most 32 characters; may be empty.
    pub shop: String,
}

impl fmt::Debug for AzulAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, store, .. } = self;
        f.debug_struct("AzulAccount").field("version", version).field("store", store).finish_non_exhaustive()
    }
}

/// Source of merchants' accounts.
#[async_trait]
pub trait AzulAccounts: Send + Sync {
    /// Returns the account of a merchant.
    async fn account(&self, of: &MerchantAccountId) -> Result<Arc<AzulAccount>, AccountUnavailable>;
}

/// An account that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountUnavailable {
    /// No credentials are stored.
    #[error("the account has no credentials")]
    Missing,
    /// The credentials cannot be read now.
    #[error("the credentials of the account cannot be read")]
    Sealed,
}
