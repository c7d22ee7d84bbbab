//! `GET /payments`.

use chrono::{DateTime, Utc};
use domain::{Refusal, payment::PaymentStatus, text::BoundedText};

use super::{filters::Filters, page, parameters, period::period};
use crate::read::{self, Object};

/// Filters and page of `GET /payments`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct PaymentQuery {
    pub status: Option<PaymentStatus>,
    pub sale_reference: Option<BoundedText<1, 128>>,
    pub merchant_invoice_number: Option<BoundedText<1, 20>>,
    pub merchant_order_number: Option<BoundedText<1, 20>>,
    /// First moment of the period.
    pub created_after: Option<DateTime<Utc>>,
    /// Moment right after the period.
    pub created_before: Option<DateTime<Utc>>,
    /// 1 to 100.
    pub limit: u16,
    /// Cursor as sent.
    pub cursor: Option<String>,
    /// Canonical text of the filters, to which a cursor is bound.
    pub filters: String,
}

/// Parses the query of `GET /payments`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn payments(raw: &str) -> Result<PaymentQuery, Refusal> {
    read::request(&parameters(raw)?, fields)
}

pub(crate) fn fields(query: &mut Object<'_>) -> Option<PaymentQuery> {
    let page = page(query);
    let status = query.optional("status", "Status of the payments.", read::code);
    let sale_reference = query.optional("saleReference", "The merchant's own reference of the sale.", read::line);
    let merchant_invoice_number =
        query.optional("merchantInvoiceNumber", "The merchant's own invoice number.", read::line);
    let merchant_order_number = query.optional("merchantOrderNumber", "The merchant's own order number.", read::line);
    let period = period(query);
    let (page, period) = (page?, period?);
    let query = PaymentQuery {
        status: status?,
        sale_reference: sale_reference?,
        merchant_invoice_number: merchant_invoice_number?,
        merchant_order_number: merchant_order_number?,
        created_after: period.after,
        created_before: period.before,
        limit: page.limit,
        cursor: page.cursor,
        filters: String::new(),
    };
    Some(PaymentQuery { filters: filters(&query), ..query })
}

fn filters(query: &PaymentQuery) -> String {
    Filters::of("payments")
        .text("status", query.status.map(PaymentStatus::as_str))
        .text("saleReference", query.sale_reference.as_ref().map(BoundedText::as_str))
        .text("merchantInvoiceNumber", query.merchant_invoice_number.as_ref().map(BoundedText::as_str))
        .text("merchantOrderNumber", query.merchant_order_number.as_ref().map(BoundedText::as_str))
        .instant("createdAfter", query.created_after)
        .instant("createdBefore", query.created_before)
        .finish()
}
