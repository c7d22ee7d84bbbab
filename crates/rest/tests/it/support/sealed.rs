use std::sync::Arc;

use ports::{CredentialVault, VaultSealed};
use zeroize::Zeroizing;

/// A vault that seals no credentials of accounts.
pub(crate) struct SealedVault(pub(crate) Arc<dyn CredentialVault>);

impl CredentialVault for SealedVault {
    fn seal(&self, context: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed> {
        if context.starts_with("account/") {
            return Err(VaultSealed);
        }
        self.0.seal(context, secret)
    }

    fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed> {
        self.0.open(context, sealed)
    }

    fn reseal(&self, context: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, VaultSealed> {
        self.0.reseal(context, sealed)
    }

    fn mac(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        self.0.mac(purpose, message)
    }

    fn digest(&self, message: &[u8]) -> [u8; 32] {
        self.0.digest(message)
    }
}
