use std::sync::Arc;

use async_trait::async_trait;
use domain::CertificateId;
use ports::{
    Clock, CredentialVault, DocumentSigner, MerchantStore, NoSignature, SignedXml, SigningFailed, SigningIdentity,
    Tenant, TenantSigner, Unavailable,
};

use crate::Ports;

/// The tenants' stored certificates. A private key is opened only to sign.
pub struct StoredIdentities {
    merchants: Arc<dyn MerchantStore>,
    vault: Arc<dyn CredentialVault>,
    signer: Arc<dyn DocumentSigner>,
    clock: Arc<dyn Clock>,
}

impl StoredIdentities {
    /// Identities from `merchants`, sealed by `vault`.
    pub fn new(
        merchants: Arc<dyn MerchantStore>,
        vault: Arc<dyn CredentialVault>,
        signer: Arc<dyn DocumentSigner>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { merchants, vault, signer, clock }
    }

    pub(crate) fn of(ports: &Ports) -> Self {
        Self::new(ports.merchants.clone(), ports.vault.clone(), ports.signer.clone(), ports.clock.clone())
    }

    /// The tenant's certificate, opened; `None` if there is none that holds now.
    pub(crate) async fn identity(&self, tenant: &Tenant) -> Result<Option<SigningIdentity>, Unavailable> {
        let now = self.clock.now();
        let Some(stored) = self.merchants.certificate(tenant, now).await? else { return Ok(None) };
        if !stored.facts.is_valid(now) {
            return Ok(None);
        }
        let Ok(private_key) = self.vault.open(&key_context(&stored.id), &stored.sealed_key) else {
            tracing::error!(certificate = %stored.id, "a certificate's key cannot be opened");
            return Ok(None);
        };
        Ok(Some(SigningIdentity { certificate: stored.certificate, private_key }))
    }

    /// Signs, and verifies the result as a recipient does: a signature that does not verify is neither stored nor
    /// sent.
    pub(crate) async fn sign(&self, identity: &SigningIdentity, document: String) -> Result<SignedXml, SigningFailed> {
        let signed = self.signer.sign(identity, document).await?;
        let signatory = self.signer.verify(signed.xml.as_bytes()).await.map_err(|it| SigningFailed(it.into()))?;
        if signatory.certificate != identity.certificate {
            return Err(SigningFailed("the signature is of another certificate".into()));
        }
        Ok(signed)
    }
}

#[async_trait]
impl TenantSigner for StoredIdentities {
    async fn sign_for(&self, tenant: &Tenant, document: String) -> Result<SignedXml, NoSignature> {
        let identity = self.identity(tenant).await?.ok_or(NoSignature::NoCertificate)?;
        Ok(self.sign(&identity, document).await?)
    }
}

/// Context of a sealed private key: the key opens for one certificate alone.
pub(crate) fn key_context(id: &CertificateId) -> String {
    format!("certificate/{id}")
}
