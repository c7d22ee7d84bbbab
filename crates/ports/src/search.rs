use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{MerchantAccountId, PaymentId, payment::PaymentStatus, sale::Sale, text::Line};

use crate::{Tenant, Unavailable};

/// Finds a merchant's sales, newest first.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SaleSearch: Send + Sync {
    /// The sales that `search` describes, by time of creation and then by name, both descending;
    /// at most `limit` of them.
    async fn search(&self, tenant: &Tenant, search: &SaleFilter, page: &Page) -> Result<Vec<Sale>, Unavailable>;
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
    /// Its name: a [`PaymentId`] or an [`EventId`](domain::EventId).
    pub id: String,
}

impl Position {
    /// The place of a payment.
    pub fn of(created_at: DateTime<Utc>, id: &PaymentId) -> Self {
        Self { created_at, id: id.as_str().to_owned() }
    }
}
