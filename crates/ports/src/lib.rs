//! What the use cases need from the outside world.
//!
//! A port is a trait that the business would recognise. It speaks domain types only, takes
//! `&self`, and is safe to share as `Arc<dyn Port>`. The `mocks` feature adds a `mockall` double
//! for each.

mod signer;
mod vault;

pub use signer::{DocumentSigner, Signatory, SignatureInvalid, SignedXml, SigningFailed, SigningIdentity};
pub use vault::{CredentialVault, VaultSealed};

#[cfg(feature = "mocks")]
pub use {signer::MockDocumentSigner, vault::MockCredentialVault};

/// The outside did not answer. The cause is for the log, never for the caller.
#[derive(Debug, thiserror::Error)]
#[error("{what} is unavailable")]
pub struct Unavailable {
    /// Which dependency, in our own words.
    pub what: &'static str,
    /// Why.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}
