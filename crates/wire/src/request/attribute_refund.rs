//! `POST /refunds/{refundId}/attributions`.

use domain::{
    Refusal,
    refund::{RefundPurpose, RefundSelection},
};

use super::refund_selection::{self, ACKNOWLEDGEMENT, ALL, AMOUNT, DESCRIPTION, LINES, REASON, TIP};
use crate::{
    json::Json,
    read::{self, Object, Reader, Variant},
};

/// Attribution of money that was found at the provider.
#[derive(Debug)]
pub struct Attribution {
    /// Part of the sale that the money returns.
    pub selection: RefundSelection,
    /// Purpose.
    pub purpose: RefundPurpose,
    /// Whether the merchant accepts that the issuer cannot deduct the ITBIS of a late note.
    pub acknowledges_itbis_loss: bool,
}

/// Parses the request.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. A field of another scope counts as unknown.
pub fn parse(body: &Json) -> Result<Attribution, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<Attribution> {
    let scope = |value, about, schema, read| Variant { value, about, schema, read };
    body.tagged(
        "scope",
        [
            scope("all", ALL, "AttributeAll", |body| attribution(body, refund_selection::all)),
            scope("lines", LINES, "AttributeLines", |body| attribution(body, refund_selection::lines)),
            scope("amount", AMOUNT, "AttributeAmount", |body| attribution(body, refund_selection::amount)),
            scope("tip", TIP, "AttributeTip", |body| attribution(body, refund_selection::tip)),
        ],
    )
}

fn attribution(body: &mut Object<'_>, selection: Reader<RefundSelection>) -> Option<Attribution> {
    let reason = body.required("reason", REASON, read::code);
    let selection = selection(body);
    let description = body.optional("description", DESCRIPTION, read::line);
    let acknowledges_itbis_loss = body.with_default("acknowledgesItbisLoss", ACKNOWLEDGEMENT, read::boolean);
    Some(Attribution {
        selection: selection?,
        purpose: RefundPurpose { reason: reason?, description: description? },
        acknowledges_itbis_loss: acknowledges_itbis_loss?,
    })
}
