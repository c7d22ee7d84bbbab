use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine, engine::general_purpose::STANDARD};
use ports::{SignedXml, SigningFailed, SigningIdentity};

use crate::{canonical::Method, certificate::Certificate, document, profile, refusal::Refusal, rsa::PrivateRsaKey};

/// An identity with its parsed key: to parse and check a key costs as much as a signature.
pub(crate) struct Identity {
    source: SigningIdentity,
    /// In base64.
    certificate: String,
    pub(crate) key: PrivateRsaKey,
}

impl Identity {
    pub(crate) fn open(identity: SigningIdentity) -> Result<Self, Refusal> {
        let certificate = Certificate::parse(&identity.certificate)?;
        let key = PrivateRsaKey::parse(&identity.private_key)?;
        if key.public() != certificate.public_key {
            return Err(Refusal("the private key does not belong to the certificate"));
        }
        let certificate = STANDARD.encode(&identity.certificate);
        Ok(Self { source: identity, certificate, key })
    }

    /// Whether certificate and private key are the same. The certificate alone is public, and must not give access to a
    /// cached key.
    pub(crate) fn is(&self, identity: &SigningIdentity) -> bool {
        self.source.certificate == identity.certificate && self.source.private_key == identity.private_key
    }

    /// Whether signing a document takes so long that it must not occupy the caller's thread.
    pub(crate) fn is_slow(&self) -> bool {
        self.key.bits() > 2048
    }

    /// Signs a document: adds the signature before the end tag of the root.
    pub(crate) fn sign(&self, mut document: String) -> Result<SignedXml, SigningFailed> {
        let tree = document::parse(&document)?;
        let end = document::end_of_content(&tree)?;
        let covered = Method::default().document(&tree, None);
        let signed_info = profile::signed_info(&STANDARD.encode(digest(&SHA256, covered.as_bytes())));

        // Canonical XML also declares the namespaces of the root in the start tag.
        let start_tag = Method::default().start_tag(&tree, &profile::signed_info_element());
        let canonical = signed_info.replacen("<SignedInfo>", &start_tag, 1);
        let value = self.key.sign(canonical.as_bytes()).map_err(|error| SigningFailed(error.into()))?;
        let signature_value = STANDARD.encode(value);
        document.insert_str(end, &profile::signature(&signed_info, &signature_value, &self.certificate));
        Ok(SignedXml { xml: document, signature_value })
    }
}
