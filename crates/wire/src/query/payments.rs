//! `GET /payments`.

use chrono::{DateTime, Utc};
use domain::{Refusal, payment::PaymentStatus, text::BoundedText};

use super::{cursor, filters::Filters, instant::period, limit, parameters};
use crate::read;

/// Which payments, and which part of their list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct PaymentQuery {
    pub status: Option<PaymentStatus>,
    pub sale_reference: Option<BoundedText<1, 128>>,
    pub merchant_invoice_number: Option<BoundedText<1, 20>>,
    pub merchant_order_number: Option<BoundedText<1, 20>>,
    /// From this moment on.
    pub created_after: Option<DateTime<Utc>>,
    /// Before this moment.
    pub created_before: Option<DateTime<Utc>>,
    /// 1 to 100.
    pub limit: u16,
    /// As sent.
    pub cursor: Option<String>,
    /// Everything but the last two, in one canonical text that a cursor can be bound to.
    pub filters: String,
}

/// What the query `raw` of `GET /payments` asks for.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if its name is plain.
pub fn payments(raw: &str) -> Result<PaymentQuery, Refusal> {
    read::request(&parameters(raw)?, |it| {
        let limit = limit(it);
        let cursor = it.optional("cursor", cursor);
        let status = it.optional("status", |value| value.one_of(PaymentStatus::from_code));
        let sale_reference = it.optional("saleReference", read::line);
        let merchant_invoice_number = it.optional("merchantInvoiceNumber", read::line);
        let merchant_order_number = it.optional("merchantOrderNumber", read::line);
        let period = period(it);
        let query = PaymentQuery {
            status: status?,
            sale_reference: sale_reference?,
            merchant_invoice_number: merchant_invoice_number?,
            merchant_order_number: merchant_order_number?,
            created_after: period.as_ref()?.after,
            created_before: period?.before,
            limit: limit?,
            cursor: cursor?,
            filters: String::new(),
        };
        Some(PaymentQuery { filters: filters(&query), ..query })
    })
}

fn filters(query: &PaymentQuery) -> String {
    Filters::of("payments")
        .text("status", query.status.map(PaymentStatus::as_str))
        .text("saleReference", query.sale_reference.as_ref().map(|it| it.as_str()))
        .text("merchantInvoiceNumber", query.merchant_invoice_number.as_ref().map(|it| it.as_str()))
        .text("merchantOrderNumber", query.merchant_order_number.as_ref().map(|it| it.as_str()))
        .instant("createdAfter", query.created_after)
        .instant("createdBefore", query.created_before)
        .finish()
}
