//! `POST /refunds/{refundId}/attributions`.

use domain::{
    Refusal,
    refund::{RefundPurpose, RefundSelection},
};

use super::refund_selection::{self, ACKNOWLEDGEMENT, DESCRIPTION, REASON, SCOPE};
use crate::{
    json::Json,
    read::{self, Object},
};

/// Attribution of money that was found at the provider.
#[derive(Debug)]
pub struct Attribution {
    /// Part of the sale that the money pays back.
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
    body.tagged(
        ("scope", SCOPE),
        [
            ("all", "AttributeAll", |body| attribution(body, refund_selection::all)),
            ("lines", "AttributeLines", |body| attribution(body, refund_selection::lines)),
            ("amount", "AttributeAmount", |body| attribution(body, refund_selection::amount)),
            ("tip", "AttributeTip", |body| attribution(body, refund_selection::tip)),
        ],
    )
}

fn attribution(
    body: &mut Object<'_>,
    selection: fn(&mut Object<'_>) -> Option<RefundSelection>,
) -> Option<Attribution> {
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
