use std::sync::Arc;

use async_trait::async_trait;
use ports::{DocumentSigner, Signatory, SignatureInvalid, SignedXml, SigningFailed, SigningIdentity};
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{
    identity::Identity,
    recent::Recent,
    verify::{KnownSigner, verify, verify_plain},
};

/// Bytes of a document that is verified in a twentieth of the time of a signature, if it is plain: too little to hand it to
/// another thread.
const SHORT: usize = 16 * 1024;
/// Size from which documents are verified one at a time, because their trees take megabytes: this limits the memory.
const LONG: usize = 64 * 1024;

/// Signs and verifies on blocking threads. Caches the identities that it opened and the signers of documents that it verified.
pub struct XmlSigner {
    identities: Arc<Recent<Identity>>,
    signers: Arc<Recent<KnownSigner>>,
    long: Arc<Semaphore>,
}

impl Default for XmlSigner {
    fn default() -> Self {
        Self { identities: Arc::default(), signers: Arc::default(), long: Arc::new(Semaphore::new(1)) }
    }
}

impl XmlSigner {
    /// A signer that has not opened any identity yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The identity, opened once.
    async fn open(&self, identity: &SigningIdentity) -> Result<Arc<Identity>, SigningFailed> {
        if let Some(known) = self.identities.find(|it| it.is(identity)) {
            return Ok(known);
        }
        let identity = identity.clone();
        let opening = spawn_blocking(move || Identity::open(identity)).await;
        let opened = Arc::new(opening.map_err(|error| SigningFailed(error.into()))??);
        self.identities.keep(&opened);
        Ok(opened)
    }
}

#[async_trait]
impl DocumentSigner for XmlSigner {
    async fn sign(&self, identity: &SigningIdentity, document: String) -> Result<SignedXml, SigningFailed> {
        let identity = self.open(identity).await?;
        let signing = spawn_blocking(move || identity.sign(document));
        signing.await.map_err(|error| SigningFailed(error.into()))?
    }

    async fn verify(&self, document: &[u8]) -> Result<Signatory, SignatureInvalid> {
        if document.len() <= SHORT
            && let Some(signatory) = verify_plain(document, &self.signers)
        {
            return Ok(signatory);
        }
        const INTERRUPTED: SignatureInvalid = SignatureInvalid { reason: "the verification was interrupted" };
        let permit = match document.len() > LONG {
            true => Some(Arc::clone(&self.long).acquire_owned().await.map_err(|_| INTERRUPTED)?),
            false => None,
        };
        let (document, signers) = (document.to_vec(), Arc::clone(&self.signers));
        // The thread continues when its caller is dropped, so the thread owns the permit.
        let verifying = spawn_blocking(move || {
            let verified = verify(&document, &signers);
            drop(permit);
            verified
        });
        verifying.await.map_err(|_| INTERRUPTED)?
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};

    use super::*;
    use crate::{read_pkcs12, self_signed_certificate};

    #[tokio::test]
    async fn an_identity_is_opened_once_and_its_certificate_is_read_once() {
        let from = DateTime::<Utc>::UNIX_EPOCH;
        let made = self_signed_certificate("Ana", "IDCDO-00113918205", from, from + TimeDelta::days(1)).unwrap();
        let identity = read_pkcs12(&made.pkcs12, &made.password).unwrap().remove(0).identity;
        let signer = XmlSigner::new();

        let (first, second) = (signer.open(&identity).await.unwrap(), signer.open(&identity).await.unwrap());
        let mut met = Vec::new();
        for document in ["<ECF>1</ECF>", "<ECF>2</ECF>"] {
            let signed = signer.sign(&identity, document.to_owned()).await.unwrap();
            signer.verify(signed.xml.as_bytes()).await.unwrap();
            met.push(signer.signers.find(|_| true).unwrap());
        }

        assert!(Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(&met[0], &met[1]));
    }
}
