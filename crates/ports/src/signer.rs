use async_trait::async_trait;
use chrono::{DateTime, Utc};
use zeroize::Zeroizing;

use crate::{Tenant, Unavailable};

/// Signs fiscal documents as the tax authority asks: enveloped XMLDSig, inclusive C14N 1.0,
/// RSA-SHA256, the signer's certificate alone in `KeyInfo`.
///
/// RSA costs a third of a millisecond: an implementation keeps it off the async threads.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DocumentSigner: Send + Sync {
    /// The document with its signature as the last child of the root.
    ///
    /// The bytes that come back are the document from then on: nobody re-indents, re-encodes
    /// or re-serialises them.
    async fn sign(&self, identity: &SigningIdentity, document: String) -> Result<SignedXml, SigningFailed>;

    /// Whether the signature in `document` holds, and who made it.
    async fn verify(&self, document: &[u8]) -> Result<Signatory, SignatureInvalid>;
}

/// Signs in the name of a tenant, with the certificate that is stored for it. Who asks sees no key.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TenantSigner: Send + Sync {
    /// The document with the tenant's signature, as [`DocumentSigner::sign`] makes it.
    async fn sign_for(&self, tenant: &Tenant, document: String) -> Result<SignedXml, NoSignature>;
}

/// Nothing can be signed in the name of a tenant.
#[derive(Debug, thiserror::Error)]
pub enum NoSignature {
    /// It has no certificate that holds now.
    #[error("there is no certificate that holds")]
    NoCertificate,
    /// Its certificate cannot be read now.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The document cannot be signed.
    #[error(transparent)]
    Failed(#[from] SigningFailed),
}

/// A certificate and its private key, opened for use.
#[derive(Clone)]
pub struct SigningIdentity {
    /// The signer's certificate, DER.
    pub certificate: Vec<u8>,
    /// The private key, PKCS#8 DER; wiped when dropped.
    pub private_key: Zeroizing<Vec<u8>>,
}

/// A document that carries its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedXml {
    /// The exact bytes to store, send and serve.
    pub xml: String,
    /// The base64 text of `SignatureValue`.
    pub signature_value: String,
}

impl SignedXml {
    /// The first six characters of the signature: what the authority calls the security code.
    pub fn security_code(&self) -> &str {
        self.signature_value.get(..6).unwrap_or(&self.signature_value)
    }
}

/// Who signed a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatory {
    /// The subject of the certificate, as text.
    pub subject: String,
    /// The certificate, DER.
    pub certificate: Vec<u8>,
    /// The first day on which it holds.
    pub not_before: DateTime<Utc>,
    /// The last moment at which it holds.
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
    /// Why, in our own words.
    pub reason: &'static str,
}
