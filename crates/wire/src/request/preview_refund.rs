//! `POST /payments/{paymentId}/refunds/preview`.

use domain::{Refusal, refund::RefundDraft, text::BoundedText};

use super::{
    create_refund::{Fields, of_retry, of_scope, optional},
    refund_selection::{self, SCOPE},
};
use crate::{
    json::Json,
    read::{self, Object},
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
    let fields = body.tagged(
        ("scope", SCOPE),
        [
            ("all", "PreviewAll", |body| of_scope(body, optional, refund_selection::all)),
            ("lines", "PreviewLines", |body| of_scope(body, optional, refund_selection::lines)),
            ("amount", "PreviewAmount", |body| of_scope(body, optional, refund_selection::amount)),
            ("tip", "PreviewTip", |body| of_scope(body, optional, refund_selection::tip)),
            ("retry", "PreviewRetry", |body| of_retry(body, optional)),
        ],
    );
    let Fields { draft, retried, .. } = fields?;
    Some(RequestedPreview { draft, retried })
}
