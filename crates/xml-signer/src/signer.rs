use std::sync::Arc;

use async_trait::async_trait;
use domain::text::decode_xml;
use ports::{DocumentSigner, Signatory, SignatureInvalid, SignedXml, SigningFailed, SigningIdentity};
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{cache::Cache, identity::Identity, limits, verify::verify};

/// Size above which documents are verified one at a time, because their trees take megabytes: this limits the memory.
/// Shorter documents are signed and verified on the caller's thread, in less than a millisecond: to hand them to a
/// blocking thread takes a tenth of that. Documents that canonicalization makes long are an exception.
const LONG: usize = 64 * 1024;

/// Signs and verifies documents, and caches opened identities. Slow work runs on blocking threads.
pub struct XmlSigner {
    identities: Cache<Identity>,
    long: Arc<Semaphore>,
}

impl Default for XmlSigner {
    fn default() -> Self {
        Self { identities: Cache::default(), long: Arc::new(Semaphore::new(1)) }
    }
}

impl XmlSigner {
    /// Creates a signer without cached identities.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the identity from the cache, or opens it.
    async fn open(&self, identity: &SigningIdentity) -> Result<Arc<Identity>, SigningFailed> {
        if let Some(cached) = self.identities.find(|cached| cached.is(identity)) {
            return Ok(cached);
        }
        let identity = identity.clone();
        let opening = spawn_blocking(move || Identity::open(identity)).await;
        let opened = Arc::new(opening.map_err(|error| SigningFailed(error.into()))??);
        self.identities.insert(&opened);
        Ok(opened)
    }
}

/// Whether a document is verified on the caller's thread: it is short, and canonicalization does not make it long.
fn is_quick(document: &[u8]) -> bool {
    document.len() <= LONG && decode_xml(document).map_or(true, |text| limits::is_quick(&text))
}

#[async_trait]
impl DocumentSigner for XmlSigner {
    async fn sign(&self, identity: &SigningIdentity, document: String) -> Result<SignedXml, SigningFailed> {
        let identity = self.open(identity).await?;
        if document.len() <= LONG && !identity.is_slow() {
            return identity.sign(document);
        }
        let signing = spawn_blocking(move || identity.sign(document));
        signing.await.map_err(|error| SigningFailed(error.into()))?
    }

    async fn verify(&self, document: &[u8]) -> Result<Signatory, SignatureInvalid> {
        const INTERRUPTED: SignatureInvalid = SignatureInvalid { reason: "the verification was interrupted" };
        if is_quick(document) {
            return verify(document);
        }
        let permit = Arc::clone(&self.long).acquire_owned().await.map_err(|_| INTERRUPTED)?;
        let document = document.to_vec();
        // The thread continues when its caller is dropped, so the thread owns the permit.
        let verifying = spawn_blocking(move || {
            let verified = verify(&document);
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
    async fn an_identity_is_opened_once() {
        let from = DateTime::<Utc>::UNIX_EPOCH;
        let made = self_signed_certificate("Ana", "IDCDO-00113918205", from, from + TimeDelta::days(1)).unwrap();
        let identity = read_pkcs12(&made.pkcs12, &made.password).unwrap().remove(0).identity;
        let signer = XmlSigner::new();

        let (first, second) = (signer.open(&identity).await.unwrap(), signer.open(&identity).await.unwrap());

        assert!(Arc::ptr_eq(&first, &second));
    }
}
