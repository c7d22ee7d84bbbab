use async_trait::async_trait;
use domain::FiscalDocumentId;

use crate::{Artifact, ArtifactKind, Tenant, Unavailable};

/// Stores signed bytes. [`SaleStore::commit`](crate::SaleStore::commit) writes them. They never change, and each
/// reader checks their digest.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ArtifactStore: Send + Sync {
    /// The artifact of that revision of the document.
    async fn find(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
        revision: u32,
        kind: ArtifactKind,
    ) -> Result<Option<Artifact>, Unavailable>;
}
