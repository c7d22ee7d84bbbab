//! Ports of a process for fiscal numbers and signed bytes.

use async_trait::async_trait;
use domain::{FiscalDocumentId, fiscal::Numbered};
use ports::{Artifact, ArtifactKind, ArtifactStore, NumberError, NumberRequest, NumberStore, Tenant, Unavailable};

use crate::node::Node;

#[async_trait]
impl NumberStore for Node {
    async fn assign(&self, request: NumberRequest) -> Result<Numbered, NumberError> {
        self.world.ask(self.process, "assign", |tables| tables.documents.assign(&request)).await?
    }
}

#[async_trait]
impl ArtifactStore for Node {
    async fn find(
        &self,
        _: &Tenant,
        document: &FiscalDocumentId,
        revision: u32,
        kind: ArtifactKind,
    ) -> Result<Option<Artifact>, Unavailable> {
        let name = (document.as_str().to_owned(), revision, kind.as_str());
        self.world.ask(self.process, "find_artifact", |tables| tables.documents.artifacts.get(&name).cloned()).await
    }
}
