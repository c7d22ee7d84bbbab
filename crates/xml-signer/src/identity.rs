use std::sync::{Arc, Mutex, PoisonError};

use aws_lc_rs::digest::{Context, SHA256};
use base64::{Engine, engine::general_purpose::STANDARD};
use bergshamra_dsig::{DsigContext, sign::sign_owned};
use bergshamra_keys::KeysManager;
use ports::{SignedXml, SigningFailed, SigningIdentity};

use crate::{certificate::Certificate, document::end_of_content, profile, refused::Refused, rsa::PrivateRsaKey};

/// An identity that is ready to sign.
pub(crate) struct Identity {
    context: DsigContext,
    /// The signature to be filled in, with the certificate in it.
    unsigned: String,
}

impl Identity {
    pub(crate) fn open(identity: &SigningIdentity) -> Result<Self, Refused> {
        let certificate = Certificate::parse(&identity.certificate)?;
        let key = PrivateRsaKey::parse(&identity.private_key)?;
        if key.public() != certificate.public_key {
            return Err(Refused("the private key is not the certificate's"));
        }
        Ok(Self {
            context: DsigContext::new(KeysManager::new()).with_hsm_signer(Box::new(key)),
            unsigned: profile::unsigned(&STANDARD.encode(&identity.certificate)),
        })
    }

    pub(crate) fn sign(&self, mut document: String) -> Result<SignedXml, SigningFailed> {
        document.insert_str(end_of_content(&document)?, &self.unsigned);
        let xml = sign_owned(&self.context, document).map_err(|error| SigningFailed(error.into()))?;

        let value = profile::signature_value(&xml).filter(|it| !it.is_empty());
        let signature_value = value.ok_or(Refused("the signature was not made"))?.to_owned();
        Ok(SignedXml { xml, signature_value })
    }
}

/// The identities in use, opened once each: the most recently used last, a bounded number.
#[derive(Default)]
pub(crate) struct Identities(Mutex<Vec<(Fingerprint, Arc<Identity>)>>);

type Fingerprint = [u8; 32];

impl Identities {
    const CAPACITY: usize = 64;

    pub(crate) fn get(&self, identity: &SigningIdentity) -> Result<Arc<Identity>, Refused> {
        let fingerprint = fingerprint(identity);
        if let Some(found) = self.find(fingerprint) {
            return Ok(found);
        }

        // Opened outside the lock: to open one twice is better than to make the others wait.
        let opened = Arc::new(Identity::open(identity)?);
        self.keep(fingerprint, Arc::clone(&opened));
        Ok(opened)
    }

    fn find(&self, fingerprint: Fingerprint) -> Option<Arc<Identity>> {
        let mut identities = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = identities.iter().position(|(it, _)| *it == fingerprint)?;
        identities[at..].rotate_left(1);
        identities.last().map(|(_, identity)| Arc::clone(identity))
    }

    fn keep(&self, fingerprint: Fingerprint, identity: Arc<Identity>) {
        let mut identities = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        identities.retain(|(it, _)| *it != fingerprint);
        if identities.len() == Self::CAPACITY {
            identities.remove(0);
        }
        identities.push((fingerprint, identity));
    }
}

/// Names an identity by both of its halves: who has the certificate alone, which is public, must
/// not reach the key that somebody else opened.
fn fingerprint(identity: &SigningIdentity) -> Fingerprint {
    let mut context = Context::new(&SHA256);
    context.update(&identity.certificate.len().to_be_bytes());
    context.update(&identity.certificate);
    context.update(&identity.private_key);

    let mut fingerprint = [0; 32];
    fingerprint.copy_from_slice(context.finish().as_ref());
    fingerprint
}
