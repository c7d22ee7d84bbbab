use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{Acknowledgement, CommercialApproval, Environment, IncomingDocument, Inflow, TaxId},
};

use crate::{Committed, Malformed, Tenant, Unavailable};

/// Reads and writes what taxpayers hand each other, in the authority's formats.
///
/// What is read comes from anybody: nothing of it is believed, and what is not plainly of its format is `None`.
pub trait InterchangeFormat: Send + Sync {
    /// What a caller signs to show who it is: `value`, given out at `at`.
    fn seed(&self, value: &str, at: DateTime<Utc>) -> Result<String, Malformed>;

    /// The value in a seed.
    fn read_seed(&self, xml: &[u8]) -> Option<String>;

    /// The document of another taxpayer.
    fn read_document(&self, xml: &[u8]) -> Option<IncomingDocument>;

    /// What a buyer says of a document.
    fn read_approval(&self, xml: &[u8]) -> Option<CommercialApproval>;

    /// What a sender is told, ready to be signed.
    fn acknowledge(&self, acknowledgement: &Acknowledgement) -> Result<String, Malformed>;
}

/// Says who may sign for anybody.
pub trait SignatoryTrust: Send + Sync {
    /// Whether a certificate, DER, was issued by somebody who is trusted, and both were in force at that moment.
    fn vouches_for(&self, certificate: &[u8], at: DateTime<Utc>) -> bool;
}

/// Keeps what other taxpayers handed over. None of it changes.
#[async_trait]
pub trait InterchangeStore: Send + Sync {
    /// The tenants that trade under that taxpayer number in that environment, the oldest name first.
    async fn recipients(&self, rnc: &TaxId, environment: Environment) -> Result<Vec<Tenant>, Unavailable>;

    /// The document that came from `sender` under `number`.
    async fn received(
        &self,
        tenant: &Tenant,
        environment: Environment,
        sender: &str,
        number: &str,
    ) -> Result<Option<ReceivedDocument>, Unavailable>;

    /// What was kept of what came to the tenant since then: from that sender, and from all of them.
    async fn inflow(
        &self,
        tenant: &Tenant,
        sender: &str,
        since: DateTime<Utc>,
    ) -> Result<(Inflow, Inflow), Unavailable>;

    /// Stores a document with its acknowledgement. Returns [`Committed::Stale`] if its sender's number is stored
    /// already.
    async fn store_received(&self, tenant: &Tenant, received: ReceivedDocument) -> Result<Committed, Unavailable>;

    /// The issued document that the tenant made out as `issuer` under that number.
    async fn document_of(
        &self,
        tenant: &Tenant,
        environment: Environment,
        issuer: &TaxId,
        number: &str,
    ) -> Result<Option<FiscalDocument>, Unavailable>;

    /// What the buyer said of the document.
    async fn approval(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
    ) -> Result<Option<StoredApproval>, Unavailable>;

    /// Stores a buyer's commercial approval of a document. Returns [`Committed::Stale`] if one is stored already.
    async fn store_approval(&self, tenant: &Tenant, kept: StoredApproval) -> Result<Committed, Unavailable>;
}

/// A document that came, byte for byte, and what its sender was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedDocument {
    /// What it is.
    pub document: IncomingDocument,
    /// Where it has value.
    pub environment: Environment,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// As it came.
    pub xml: Vec<u8>,
    /// The signed acknowledgement.
    pub acknowledgement: String,
}

/// An approval that came, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredApproval {
    /// The document that it is of.
    pub document: FiscalDocumentId,
    /// What it says.
    pub approval: CommercialApproval,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// As it came.
    pub xml: Vec<u8>,
}
