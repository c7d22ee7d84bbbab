//! `POST /payments/{paymentId}/refunds/preview`.

use domain::{Refusal, refund::RefundDraft, text::BoundedText};

use super::{
    create_refund::{RETRY, RequestedRefund, of_retry, of_scope, optional},
    refund_selection::{self, ALL, AMOUNT, LINES, TIP},
};
use crate::{
    json::Json,
    read::{self, Object, Variant},
};

/// Refund to preview.
#[derive(Debug)]
pub struct RequestedPreview {
    /// Decision to preview.
    pub draft: RefundDraft,
    /// Refund to retry, as sent; `Some` exactly with scope `retry`.
    pub retried: Option<BoundedText<1, 256>>,
}

/// Parses the request: the body of a refund, in which the reason is optional.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. A field of another scope counts as unknown.
pub fn parse(body: &Json) -> Result<RequestedPreview, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<RequestedPreview> {
    let scope = |value, about, schema, read| Variant { value, about, schema, read };
    let preview = body.tagged(
        "scope",
        [
            scope("all", ALL, "PreviewAll", |body| of_scope(body, optional, refund_selection::all)),
            scope("lines", LINES, "PreviewLines", |body| of_scope(body, optional, refund_selection::lines)),
            scope("amount", AMOUNT, "PreviewAmount", |body| of_scope(body, optional, refund_selection::amount)),
            scope("tip", TIP, "PreviewTip", |body| of_scope(body, optional, refund_selection::tip)),
            scope("retry", RETRY, "PreviewRetry", |body| of_retry(body, optional)),
        ],
    );
    let RequestedRefund { draft, retried, .. } = preview?;
    Some(RequestedPreview { draft, retried })
}
