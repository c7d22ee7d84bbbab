//! `GET /payments`.

use domain::{
    Refusal,
    listing::{PageRequest, SaleFilter},
    payment::PaymentStatus,
    text::BoundedText,
};

use super::{filters::Filters, page, parameters, period::period};
use crate::read::{self, Object};

/// Parses the query of `GET /payments`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn payments(raw: &str) -> Result<(SaleFilter, PageRequest), Refusal> {
    read::request(&parameters(raw)?, fields)
}

pub(crate) fn fields(query: &mut Object<'_>) -> Option<(SaleFilter, PageRequest)> {
    let page = page(query);
    let status = query.optional("status", "Status of the payments.", read::code);
    let sale_reference = query.optional("saleReference", "The merchant's own reference of the sale.", read::line);
    let merchant_invoice_number =
        query.optional("merchantInvoiceNumber", "The merchant's own invoice number.", read::line);
    let merchant_order_number = query.optional("merchantOrderNumber", "The merchant's own order number.", read::line);
    let period = period(query);
    let (page, (created_after, created_before)) = (page?, period?);
    let filter = SaleFilter {
        accounts: Vec::new(),
        status: status?,
        sale_reference: sale_reference?,
        merchant_invoice_number: merchant_invoice_number?,
        merchant_order_number: merchant_order_number?,
        created_after,
        created_before,
    };
    let filters = filters(&filter);
    Some((filter, PageRequest { filters, ..page }))
}

fn filters(query: &SaleFilter) -> String {
    Filters::of("payments")
        .text("status", query.status.map(PaymentStatus::as_str))
        .text("saleReference", query.sale_reference.as_ref().map(BoundedText::as_str))
        .text("merchantInvoiceNumber", query.merchant_invoice_number.as_ref().map(BoundedText::as_str))
        .text("merchantOrderNumber", query.merchant_order_number.as_ref().map(BoundedText::as_str))
        .instant("createdAfter", query.created_after)
        .instant("createdBefore", query.created_before)
        .finish()
}
