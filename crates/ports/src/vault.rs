use zeroize::Zeroizing;

/// Encrypts secrets at rest, and computes digests that need a key of this deployment.
///
/// Every sealed value is bound to a context, and does not open under another.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait CredentialVault: Send + Sync {
    /// Encrypts `secret`, bound to `context`.
    fn seal(&self, context: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed>;

    /// Decrypts a value of [`seal`](Self::seal) with the same `context`.
    fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed>;

    /// Encrypts a sealed value again under the current key; `None` if it is under that key already.
    fn reseal(&self, context: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, VaultSealed>;

    /// A keyed digest (HMAC-SHA-256 under a key of this deployment, separated by `purpose`).
    fn mac(&self, purpose: &str, message: &[u8]) -> [u8; 32];

    /// A plain SHA-256: for artifacts, and for credentials that are random enough to need no more.
    fn digest(&self, message: &[u8]) -> [u8; 32];
}

/// The vault has no key for this, or the value does not belong here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret cannot be sealed or opened")]
pub struct VaultSealed;
