use zeroize::Zeroizing;

/// Keeps secrets unreadable at rest, and computes what only this deployment can compute.
///
/// Every sealed value is bound to its place: opened under another context, it fails.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait CredentialVault: Send + Sync {
    /// Encrypts `secret` so that it opens only under the same `context`.
    fn seal(&self, context: &str, secret: &[u8]) -> Result<Vec<u8>, VaultSealed>;

    /// Decrypts what [`seal`](Self::seal) made under the same `context`.
    fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultSealed>;

    /// The same secret as this deployment would seal it now, under the same `context`; `None` if it is
    /// sealed so already. What is not under the current key is put under it.
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
