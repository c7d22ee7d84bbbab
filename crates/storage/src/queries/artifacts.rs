use async_trait::async_trait;
use diesel::prelude::*;
use domain::FiscalDocumentId;
use ports::{Artifact, ArtifactKind, ArtifactStore, Tenant, Unavailable};

use super::Store;
use crate::{rows::ArtifactRow, schema::artifacts, scope::Scope};

#[async_trait]
impl ArtifactStore for Store {
    async fn find(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
        revision: u32,
        kind: ArtifactKind,
    ) -> Result<Option<Artifact>, Unavailable> {
        let (merchant, mode) = (tenant.merchant.to_string(), tenant.mode.as_str());
        let query = artifacts::table
            .find((merchant, mode, document.to_string(), i64::from(revision), kind.as_str()))
            .select(ArtifactRow::as_select());
        self.one(Scope::of(tenant), query).await
    }
}
