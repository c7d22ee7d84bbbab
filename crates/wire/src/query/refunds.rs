//! `GET /refunds`.

use domain::{
    PaymentId, Refusal,
    listing::{PageRequest, RefundFilter},
    refund::RefundStatus,
    text::BoundedText,
};

use super::{filters::Filters, page, parameters, period::period};
use crate::{
    read::{self, Object},
    schema,
};

/// Parses the query of `GET /refunds`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn refunds(raw: &str) -> Result<(RefundFilter, PageRequest), Refusal> {
    read::request(&parameters(raw)?, fields)
}

pub(crate) fn fields(query: &mut Object<'_>) -> Option<(RefundFilter, PageRequest)> {
    let page = page(query);
    let about = "Payment that the refunds belong to. An unknown one gives an empty list.";
    let payment = query.optional("payment", about, |value| {
        let schema = || schema::id(PaymentId::PREFIX);
        value.parsed(schema, PaymentId::parse, "The value must be the identifier of a payment.")
    });
    let status = query.optional("status", "Status of the refunds.", read::code);
    let refund_reference = query.optional("refundReference", "The merchant's own reference of the refund.", read::line);
    let period = period(query);
    let (page, (created_after, created_before)) = (page?, period?);
    let filter = RefundFilter {
        accounts: Vec::new(),
        payment: payment?,
        status: status?,
        refund_reference: refund_reference?,
        created_after,
        created_before,
    };
    let filters = filters(&filter);
    Some((filter, PageRequest { filters, ..page }))
}

fn filters(query: &RefundFilter) -> String {
    Filters::of("refunds")
        .text("payment", query.payment.as_ref().map(PaymentId::as_str))
        .text("status", query.status.map(RefundStatus::as_str))
        .text("refundReference", query.refund_reference.as_ref().map(BoundedText::as_str))
        .instant("createdAfter", query.created_after)
        .instant("createdBefore", query.created_before)
        .finish()
}
