use async_trait::async_trait;
use chrono::{DateTime, Utc};
use zeroize::Zeroizing;

use crate::{Tenant, Unavailable};

/// Signs fiscal documents as the tax authority requires: enveloped XMLDSig, inclusive C14N 1.0, RSA-SHA256, with only
/// the signer's certificate in `KeyInfo`.
///
/// An RSA signature takes a third of a millisecond: an implementation signs outside the async threads.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DocumentSigner: Send + Sync {
    /// Returns the document with its signature as the last child of the root.
    ///
    /// The returned bytes are the document from then on: never re-indented, re-encoded or serialized again.
    async fn sign(&self, identity: &SigningIdentity, document: String) -> Result<SignedXml, SigningFailed>;

    /// Verifies the signature of `document` and returns the signer.
    async fn verify(&self, document: &[u8]) -> Result<Signatory, SignatureInvalid>;
}

/// Signs for a tenant, with the stored certificate. The caller sees no key.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TenantSigner: Send + Sync {
    /// Returns the document with the tenant's signature, as [`DocumentSigner::sign`].
    async fn sign_for(&self, tenant: &Tenant, document: String) -> Result<SignedXml, NoSignature>;
}

/// Reason why a tenant cannot sign.
#[derive(Debug, thiserror::Error)]
pub enum NoSignature {
    /// The tenant has no valid certificate.
    #[error("there is no certificate that holds")]
    NoCertificate,
    /// The certificate cannot be read now.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The document cannot be signed.
    #[error(transparent)]
    Failed(#[from] SigningFailed),
}

/// A certificate and the opened private key.
#[derive(Clone)]
pub struct SigningIdentity {
    /// The signer's certificate, DER.
    pub certificate: Vec<u8>,
    /// The private key, PKCS#8 DER; wiped when dropped.
    pub private_key: Zeroizing<Vec<u8>>,
}

/// A signed document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedXml {
    /// The exact bytes to store, send and serve.
    pub xml: String,
    /// The base64 text of `SignatureValue`.
    pub signature_value: String,
}

impl SignedXml {
    /// Returns the first six characters of the signature, which the authority calls the security code.
    pub fn security_code(&self) -> &str {
        self.signature_value.get(..6).unwrap_or(&self.signature_value)
    }
}

/// Signer of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatory {
    /// The subject of the certificate, as text.
    pub subject: String,
    /// The certificate, DER.
    pub certificate: Vec<u8>,
    /// First day of validity.
    pub not_before: DateTime<Utc>,
    /// End of validity.
    pub not_after: DateTime<Utc>,
}

/// The document could not be signed with this identity.
#[derive(Debug, thiserror::Error)]
#[error("the document could not be signed")]
pub struct SigningFailed(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// The signature does not hold: missing, doubled, altered, or of an unknown form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature is not valid: {reason}")]
pub struct SignatureInvalid {
    /// Reason, in our own words.
    pub reason: &'static str,
}
