use base64::{Engine, engine::general_purpose::STANDARD};
use bergshamra_dsig::{DsigContext, sign::sign_owned};
use bergshamra_keys::KeysManager;
use ports::{SignedXml, SigningFailed, SigningIdentity};

use crate::{
    certificate::Certificate,
    document::end_of_content,
    profile::{self, signature_template},
    refusal::Refusal,
    rsa::PrivateRsaKey,
};

/// An identity with its parsed key: to parse and check a key costs as much as a signature.
pub(crate) struct Identity {
    source: SigningIdentity,
    /// In base64.
    certificate: String,
    context: DsigContext,
}

impl Identity {
    pub(crate) fn open(identity: SigningIdentity) -> Result<Self, Refusal> {
        let certificate = Certificate::parse(&identity.certificate)?;
        let key = PrivateRsaKey::parse(&identity.private_key)?;
        if key.public() != certificate.public_key {
            return Err(Refusal("the private key does not belong to the certificate"));
        }
        let context = DsigContext::new(KeysManager::new()).with_hsm_signer(Box::new(key));
        let certificate = STANDARD.encode(&identity.certificate);
        Ok(Self { source: identity, certificate, context })
    }

    /// Whether certificate and private key are the same. The certificate alone is public, and must not give access to a
    /// cached key.
    pub(crate) fn is(&self, identity: &SigningIdentity) -> bool {
        self.source.certificate == identity.certificate && self.source.private_key == identity.private_key
    }

    /// Signs a document: adds a template of the signature before the end tag of the root, and lets the library complete
    /// it.
    pub(crate) fn sign(&self, mut document: String) -> Result<SignedXml, SigningFailed> {
        document.insert_str(end_of_content(&document)?, &signature_template(&self.certificate));
        let xml = sign_owned(&self.context, document).map_err(|error| SigningFailed(error.into()))?;

        let value = profile::signature_value(&xml).filter(|value| !value.is_empty());
        let signature_value = value.ok_or(Refusal("the signature has no value"))?.to_owned();
        Ok(SignedXml { xml, signature_value })
    }
}
