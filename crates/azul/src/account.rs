//! A merchant's account at AZUL, and who gives it.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use domain::{MerchantAccountId, Mode};
use zeroize::Zeroizing;

/// What AZUL gave a merchant. The secrets in it are wiped when it is dropped, and not printed.
pub struct AzulAccount {
    /// Goes up when anything in it is replaced.
    pub version: u32,
    /// The mode that it works in, which says where AZUL is.
    pub mode: Mode,
    /// The merchant's number (`Store`).
    pub store: String,
    /// The channel (`Channel`), as in `EC`.
    pub channel: String,
    /// The first half of the password.
    pub auth1: Zeroizing<String>,
    /// The second half of the password.
    pub auth2: Zeroizing<String>,
    /// The client certificate and its key, one PEM after the other.
    pub identity: Zeroizing<Vec<u8>>,
    /// Whether its purchases go through 3-D Secure. One that has it and is asked to go without loses the protection
    /// that comes with it; one that has not, and is asked, refuses.
    pub has_3ds: bool,
    /// Whether AZUL keeps cards for it.
    pub has_vault: bool,
    /// Where customers call; at most 32 characters, and may be empty.
    pub phone: String,
    /// The address of the shop; at most 32 characters, and may be empty.
    pub shop: String,
}

impl fmt::Debug for AzulAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, store, .. } = self;
        f.debug_struct("AzulAccount").field("version", version).field("store", store).finish_non_exhaustive()
    }
}

/// Gives the accounts of merchants, from wherever their secrets are kept.
#[async_trait]
pub trait AzulAccounts: Send + Sync {
    /// What AZUL gave for that account.
    async fn account(&self, of: &MerchantAccountId) -> Result<Arc<AzulAccount>, AccountUnavailable>;
}

/// There is nothing to call AZUL with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountUnavailable {
    /// Nothing was ever stored for it.
    #[error("the account has no credentials")]
    Missing,
    /// They cannot be read now.
    #[error("the credentials of the account cannot be read")]
    Sealed,
}
