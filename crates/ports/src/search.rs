use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId, Payment, PaymentId, attempt::Attempt, fiscal::FiscalNumber, listing::SaleFilter,
    sale::Sale,
};

use crate::{Tenant, Unavailable};

/// Finds a merchant's sales, newest first.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SaleSearch: Send + Sync {
    /// The sales that `search` describes, by time of creation and then by name, both descending;
    /// at most `limit` of them.
    async fn search(&self, tenant: &Tenant, search: &SaleFilter, page: &Page) -> Result<Vec<Sale>, Unavailable>;

    /// Returns at most `limit` earlier revisions of a document, newest first.
    async fn revisions(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
        page: &Page,
    ) -> Result<Vec<Revision>, Unavailable>;

    /// Returns every submission of a payment and of its parts, oldest first. For operators: the query of a split
    /// payment may read all submissions of its tenant.
    async fn attempts(&self, tenant: &Tenant, of: &Payment) -> Result<Vec<Attempt>, Unavailable>;

    /// Returns the payments that match a clue, newest first, at most `limit`. Only for operators: the query may read
    /// all submissions of the tenant.
    async fn by_clue(&self, tenant: &Tenant, clue: &SaleIdentifier, limit: u16) -> Result<Vec<PaymentId>, Unavailable>;
}

/// Identifier that a payer, a bank or a document shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaleIdentifier {
    /// A fiscal number of any revision of the document.
    Number(FiscalNumber),
    /// The provider's reference of a submission.
    ProviderReference(String),
    /// Ending of the identifier of a submission.
    AttemptEnding(String),
    /// Reference of the checkout.
    CheckoutReference(String),
}

/// Earlier revision of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The document before the correction.
    pub document: FiscalDocument,
    /// Time of the correction.
    pub replaced_at: DateTime<Utc>,
}

/// Which part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Position of the last row of the page before; `None` for the first page.
    pub after: Option<Position>,
    /// How many at most.
    pub limit: u16,
}

/// Stable position in a list: new rows do not change the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Creation time of the last row.
    pub created_at: DateTime<Utc>,
    /// Identifier of the last row: a [`PaymentId`], an [`EventId`](domain::EventId), or the number of a revision.
    pub id: String,
}

impl Position {
    /// Returns the position of a revision. The number is written so that it sorts as text.
    pub fn of_revision(revision: &Revision) -> Self {
        Self { created_at: revision.replaced_at, id: format!("{:010}", revision.document.state().revision) }
    }

    /// The place of a payment.
    pub fn of(created_at: DateTime<Utc>, id: &PaymentId) -> Self {
        Self { created_at, id: id.as_str().to_owned() }
    }
}
