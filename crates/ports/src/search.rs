use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument, FiscalDocumentId, MerchantAccountId, PaymentId,
    attempt::Attempt,
    fiscal::FiscalNumber,
    payment::{Payment, PaymentStatus},
    sale::Sale,
    text::Line,
};

use crate::{Tenant, Unavailable};

/// Finds a merchant's sales, newest first.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SaleSearch: Send + Sync {
    /// The sales that `search` describes, by time of creation and then by name, both descending;
    /// at most `limit` of them.
    async fn search(&self, tenant: &Tenant, search: &SaleFilter, page: &Page) -> Result<Vec<Sale>, Unavailable>;

    /// What a document was before it was corrected, the newest revision first; at most `limit` of them.
    async fn revisions(
        &self,
        tenant: &Tenant,
        document: &FiscalDocumentId,
        page: &Page,
    ) -> Result<Vec<Revision>, Unavailable>;

    /// Every submission for a payment, or for its parts, the oldest first. A person waits for it, nobody else: for a
    /// payment that is split all submissions of its tenant may be read.
    async fn attempts(&self, tenant: &Tenant, of: &Payment) -> Result<Vec<Attempt>, Unavailable>;

    /// Returns the payments that match a clue, newest first, at most `limit`. Only for operators: the query may read
    /// all submissions of the tenant.
    async fn by_clue(&self, tenant: &Tenant, clue: &SaleIdentifier, limit: u16) -> Result<Vec<PaymentId>, Unavailable>;
}

/// Identifier of a payment that its payer, a bank or its document shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaleIdentifier {
    /// A fiscal number that any revision of its document had.
    Number(FiscalNumber),
    /// The provider's number of one of its submissions.
    ProviderReference(String),
    /// The ending of the identifier of one of its submissions.
    AttemptEnding(String),
    /// The reference of its checkout.
    CheckoutReference(String),
}

/// What a document was before it was corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The document as it stood.
    pub document: FiscalDocument,
    /// When it was corrected.
    pub replaced_at: DateTime<Utc>,
}

/// What sales are looked for; all of it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct SaleFilter {
    /// The accounts that the caller may see; all if empty.
    pub accounts: Vec<MerchantAccountId>,
    pub status: Option<PaymentStatus>,
    pub sale_reference: Option<Line<1, 128>>,
    pub merchant_invoice_number: Option<Line<1, 20>>,
    /// Any text: one that is no order number finds nothing.
    pub merchant_order_number: Option<Line<1, 20>>,
    /// From this moment on.
    pub created_after: Option<DateTime<Utc>>,
    /// Before this moment.
    pub created_before: Option<DateTime<Utc>>,
}

/// Which part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What was last seen; `None` for the beginning.
    pub after: Option<Position>,
    /// How many at most.
    pub limit: u16,
}

/// A place in a list: nothing moves it, whatever is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// When what was last seen there was created.
    pub created_at: DateTime<Utc>,
    /// Its name: a [`PaymentId`], an [`EventId`](domain::EventId), or the number of a revision.
    pub id: String,
}

impl Position {
    /// The place of a revision: as text it is in order as it is as a number.
    pub fn of_revision(revision: &Revision) -> Self {
        Self { created_at: revision.replaced_at, id: format!("{:010}", revision.document.state().revision) }
    }

    /// The place of a payment.
    pub fn of(created_at: DateTime<Utc>, id: &PaymentId) -> Self {
        Self { created_at, id: id.as_str().to_owned() }
    }
}
