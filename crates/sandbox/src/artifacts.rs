//! A shelf that cannot be reached now and then.

use std::sync::Arc;

use async_trait::async_trait;
use domain::FiscalDocumentId;
use ports::{Artifact, ArtifactKind, ArtifactStore, Tenant, Unavailable};

use crate::{Faults, Target, faults::Injected};

/// The store of documents, with the faults that may happen to who reads it. Nothing is written through it, so that
/// whatever the fault is called, a reader gets nothing.
pub struct FaultyArtifactStore {
    store: Arc<dyn ArtifactStore>,
    faults: Arc<Faults>,
}

impl FaultyArtifactStore {
    /// The store, with the faults that may happen to it.
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
