use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{Acknowledgement, CommercialApproval, Environment, IncomingDocument, Inflow, TaxId},
};

use crate::{Committed, Malformed, Tenant, Unavailable};

/// Reads and writes the messages between taxpayers, in the authority's formats.
///
/// The input is untrusted. Returns `None` for input in another format.
pub trait InterchangeFormat: Send + Sync {
    /// Returns the XML that a caller signs to authenticate: `value`, issued at `at`.
    fn seed(&self, value: &str, at: DateTime<Utc>) -> Result<String, Malformed>;

    /// The value in a seed.
    fn read_seed(&self, xml: &[u8]) -> Option<String>;

    /// The document of another taxpayer.
    fn read_document(&self, xml: &[u8]) -> Option<IncomingDocument>;

    /// Parses a buyer's commercial approval.
    fn read_approval(&self, xml: &[u8]) -> Option<CommercialApproval>;

    /// Returns the acknowledgement for a sender, ready to be signed.
    fn acknowledge(&self, acknowledgement: &Acknowledgement) -> Result<String, Malformed>;
}

/// Trust in the certificates of signers.
pub trait SignatoryTrust: Send + Sync {
    /// Whether a trusted authority issued the certificate (DER), and both were valid at `at`.
    fn vouches_for(&self, certificate: &[u8], at: DateTime<Utc>) -> bool;
}

/// Stores messages from other taxpayers. They never change.
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

    /// Returns the volume that was stored for the tenant since then: of the sender, and of all senders.
    async fn inflow(
        &self,
        tenant: &Tenant,
        sender: &str,
        since: DateTime<Utc>,
    ) -> Result<(Inflow, Inflow), Unavailable>;

    /// Stores a document with the acknowledgement. Returns [`Committed::Stale`] if the sender's number is stored
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

    /// Returns the buyer's approval of the document.
    async fn approval(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
    ) -> Result<Option<StoredApproval>, Unavailable>;

    /// Stores a buyer's commercial approval of a document. Returns [`Committed::Stale`] if one is stored already.
    async fn store_approval(&self, tenant: &Tenant, approval: StoredApproval) -> Result<Committed, Unavailable>;
}

/// A received document, byte for byte, with the acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedDocument {
    /// The document.
    pub document: IncomingDocument,
    /// The environment.
    pub environment: Environment,
    /// Time of receipt.
    pub received_at: DateTime<Utc>,
    /// The bytes as received.
    pub xml: Vec<u8>,
    /// The signed acknowledgement.
    pub acknowledgement: String,
}

/// An approval that came, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredApproval {
    /// The approved document.
    pub document: FiscalDocumentId,
    /// The approval.
    pub approval: CommercialApproval,
    /// Time of receipt.
    pub received_at: DateTime<Utc>,
    /// The bytes as received.
    pub xml: Vec<u8>,
}
