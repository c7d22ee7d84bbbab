use async_trait::async_trait;
use domain::fiscal::{Environment, FiscalNumber, Route, TaxId, Verdict};

use crate::Tenant;

/// The tax authority, which accepts fiscal documents.
///
/// A lost response is [`Verdict::Unknown`], never an error: the caller inquires before it sends the same bytes again.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TaxAuthority: Send + Sync {
    /// Sends signed bytes.
    async fn submit(&self, submission: Submission) -> Verdict;

    /// Requests the verdict about a document.
    async fn inquire(&self, inquiry: Inquiry) -> Verdict;
}

/// Signed bytes on their way to the authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The tenant.
    pub tenant: Tenant,
    /// Where.
    pub environment: Environment,
    /// The issuer.
    pub issuer: TaxId,
    /// The document's number.
    pub number: FiscalNumber,
    /// Whether the bytes are the document or a summary.
    pub route: Route,
    /// Revision of the document, from 1; rehearsals use it, the authority does not.
    pub revision: u32,
    /// The merchant's own invoice number. The sandbox reads test scenarios from the number; the authority does not.
    pub merchant_invoice_number: String,
    /// The bytes, exactly as signed and stored.
    pub xml: Vec<u8>,
}

/// A question about a document that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inquiry {
    /// The tenant.
    pub tenant: Tenant,
    /// Where.
    pub environment: Environment,
    /// The issuer.
    pub issuer: TaxId,
    /// The document's number.
    pub number: FiscalNumber,
    /// Whether the document or a summary was submitted.
    pub route: Route,
    /// The buyer, if the document has one.
    pub buyer: Option<TaxId>,
    /// The security code of the document that we sent: another one under the same number is not
    /// ours.
    pub security_code: String,
    /// The receipt of the submission, if there was one.
    pub track_id: Option<String>,
}
