//! Requests for lists.

use chrono::{DateTime, Utc};

use crate::{EventKind, MerchantAccountId, PaymentId, payment::PaymentStatus, refund::RefundStatus, text::BoundedText};

/// Request for a page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// 1 to 100.
    pub limit: u16,
    /// The cursor, as sent.
    pub cursor: Option<String>,
    /// All other parameters in one canonical text: a cursor is valid only with the same text.
    pub filters: String,
}

/// Filter of sales; all conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct SaleFilter {
    /// The accounts that the caller may see; all if empty.
    pub accounts: Vec<MerchantAccountId>,
    pub status: Option<PaymentStatus>,
    pub sale_reference: Option<BoundedText<1, 128>>,
    pub merchant_invoice_number: Option<BoundedText<1, 20>>,
    /// Any text: a text that is no order number matches no sale.
    pub merchant_order_number: Option<BoundedText<1, 20>>,
    /// From this moment on.
    pub created_after: Option<DateTime<Utc>>,
    /// Before this moment.
    pub created_before: Option<DateTime<Utc>>,
}

/// Filter of refunds; all conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the public contract")]
pub struct RefundFilter {
    /// The accounts that the caller may see; all if empty.
    pub accounts: Vec<MerchantAccountId>,
    /// Of this payment.
    pub payment: Option<PaymentId>,
    pub status: Option<RefundStatus>,
    pub refund_reference: Option<BoundedText<1, 128>>,
    /// From this moment on.
    pub created_after: Option<DateTime<Utc>>,
    /// Before this moment.
    pub created_before: Option<DateTime<Utc>>,
}

/// Filter of events; all conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Accounts that the caller may read; all if empty. With accounts, events about no account are left out.
    pub accounts: Vec<MerchantAccountId>,
    /// Of these kinds; of any if empty.
    pub kinds: Vec<EventKind>,
    /// About this payment.
    pub payment: Option<PaymentId>,
    /// From this moment on.
    pub created_after: Option<DateTime<Utc>>,
    /// Before this moment.
    pub created_before: Option<DateTime<Utc>>,
}
