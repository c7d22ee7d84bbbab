//! An artifact store with faults.

use std::sync::Arc;

use async_trait::async_trait;
use domain::FiscalDocumentId;
use ports::{Artifact, ArtifactKind, ArtifactStore, Tenant, Unavailable};

use crate::faults::{Faults, Injected, Target};

/// Reads of a store, with injected faults. Every fault fails the read, because reads have no effect.
pub struct FaultyArtifactStore {
    store: Arc<dyn ArtifactStore>,
    faults: Arc<Faults>,
}

impl FaultyArtifactStore {
    /// Adds the faults to `store`.
    pub const fn new(store: Arc<dyn ArtifactStore>, faults: Arc<Faults>) -> Self {
        Self { store, faults }
    }
}

#[async_trait]
impl ArtifactStore for FaultyArtifactStore {
    async fn find(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
        revision: u32,
        kind: ArtifactKind,
    ) -> Result<Option<Artifact>, Unavailable> {
        match self.faults.take(Target::Artifacts) {
            None => self.store.find(tenant, document, revision, kind).await,
            Some(fault) => Err(Unavailable { what: "the store of documents", source: Box::new(Injected(fault)) }),
        }
    }
}
