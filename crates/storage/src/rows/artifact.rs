use diesel::prelude::*;
use domain::FiscalDocumentId;
use ports::{Artifact, ArtifactKind, Tenant};

use super::{Inconsistent, counter};
use crate::schema::artifacts;

/// One row of `artifacts`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = artifacts, treat_none_as_default_value = false)]
pub(crate) struct ArtifactRow {
    merchant: String,
    mode: String,
    document: String,
    revision: i64,
    kind: String,
    sha256: Vec<u8>,
    bytes: Vec<u8>,
}

impl ArtifactRow {
    pub(crate) fn new(tenant: &Tenant, artifact: Artifact) -> Self {
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            document: artifact.document.as_str().to_owned(),
            revision: artifact.revision.into(),
            kind: artifact.kind.as_str().to_owned(),
            sha256: artifact.sha256.to_vec(),
            bytes: artifact.bytes,
        }
    }

    pub(crate) fn restore(self, kind: ArtifactKind) -> Result<Artifact, Inconsistent> {
        let broken = Inconsistent::of("artifacts", &self.document);
        Ok(Artifact {
            document: FiscalDocumentId::parse(&self.document).ok_or_else(|| broken("document"))?,
            revision: counter(self.revision).ok_or_else(|| broken("revision"))?,
            kind,
            sha256: self.sha256.try_into().map_err(|_| broken("sha256"))?,
            bytes: self.bytes,
        })
    }
}
