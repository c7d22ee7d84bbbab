use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine, engine::general_purpose::STANDARD};
use bergshamra_dsig::{DsigContext, sign::sign_owned};
use bergshamra_keys::KeysManager;
use kryptering::Signer;
use ports::{SignedXml, SigningFailed, SigningIdentity};

use crate::{
    certificate::Certificate,
    document::end_of_content,
    plain,
    profile::{self, Texts},
    refused::Refused,
    rsa::PrivateRsaKey,
};

/// An identity that is ready to sign: to parse and check a key costs as much as a signature.
pub(crate) struct Identity {
    of: SigningIdentity,
    key: PrivateRsaKey,
    /// In base64.
    certificate: String,
    /// For what is not plain.
    context: DsigContext,
}

impl Identity {
    pub(crate) fn open(identity: SigningIdentity) -> Result<Self, Refused> {
        let certificate = Certificate::parse(&identity.certificate)?;
        let key = PrivateRsaKey::parse(&identity.private_key)?;
        if key.public() != certificate.public_key {
            return Err(Refused("the private key is not the certificate's"));
        }
        let context = DsigContext::new(KeysManager::new()).with_hsm_signer(Box::new(key.clone()));
        let certificate = STANDARD.encode(&identity.certificate);
        Ok(Self { of: identity, key, certificate, context })
    }

    /// Whether this is that identity, in both of its halves: who has the certificate alone, which is public, must not reach
    /// the key that somebody else opened.
    pub(crate) fn is(&self, identity: &SigningIdentity) -> bool {
        self.of.certificate == identity.certificate && self.of.private_key == identity.private_key
    }

    pub(crate) fn sign(&self, document: String) -> Result<SignedXml, SigningFailed> {
        let end = document.rfind("</").unwrap_or_default();
        match plain::canonical(&document[..end], &document[end..]) {
            Some(canonical) => self.sign_plain(document, end, &canonical),
            None => self.sign_any(document),
        }
    }

    /// Signs a document of which the canonical form is known, and writes the signature before its root's end tag.
    fn sign_plain(&self, mut document: String, end: usize, canonical: &str) -> Result<SignedXml, SigningFailed> {
        let digest = STANDARD.encode(digest(&SHA256, canonical.as_bytes()));
        let unsigned = Texts { digest: &digest, value: "", certificate: &self.certificate };
        let value = self.key.sign(unsigned.signed().as_bytes()).map_err(|error| SigningFailed(error.into()))?;
        let signature_value = STANDARD.encode(value);
        document.insert_str(end, &Texts { value: &signature_value, ..unsigned }.written());
        Ok(SignedXml { xml: document, signature_value })
    }

    /// Signs whatever XML the library can read.
    fn sign_any(&self, mut document: String) -> Result<SignedXml, SigningFailed> {
        let unsigned = Texts { certificate: &self.certificate, ..Texts::default() };
        document.insert_str(end_of_content(&document)?, &unsigned.written());
        let xml = sign_owned(&self.context, document).map_err(|error| SigningFailed(error.into()))?;

        let value = profile::signature_value(&xml).filter(|it| !it.is_empty());
        let signature_value = value.ok_or(Refused("the signature was not made"))?.to_owned();
        Ok(SignedXml { xml, signature_value })
    }
}
