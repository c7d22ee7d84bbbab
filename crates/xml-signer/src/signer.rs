use std::sync::Arc;

use async_trait::async_trait;
use ports::{DocumentSigner, Signatory, SignatureInvalid, SignedXml, SigningFailed, SigningIdentity};
use tokio::task::spawn_blocking;

use crate::{identity::Identities, verify::verify};

/// Signs and verifies on threads of its own, and remembers the identities that it opened.
#[derive(Default)]
pub struct XmlSigner {
    identities: Arc<Identities>,
}

impl XmlSigner {
    /// A signer that has not opened any identity yet.
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl DocumentSigner for XmlSigner {
    async fn sign(&self, identity: &SigningIdentity, document: String) -> Result<SignedXml, SigningFailed> {
        let (identities, identity) = (Arc::clone(&self.identities), identity.clone());
        let signing = spawn_blocking(move || identities.get(&identity)?.sign(document));
        signing.await.map_err(|error| SigningFailed(error.into()))?
    }

    async fn verify(&self, document: &[u8]) -> Result<Signatory, SignatureInvalid> {
        let document = document.to_vec();
        let verifying = spawn_blocking(move || verify(&document));
        verifying.await.map_err(|_| SignatureInvalid { reason: "the verification was interrupted" })?
    }
}
