//! `POST /payments/{paymentId}/refunds`.

use domain::{
    Refusal,
    fiscal::NoteText,
    refund::{PartAmount, RefundDraft, RefundReason, RefundSelection, RefundSettlement},
    text::{BoundedText, Prose},
};

use super::{
    metadata, money,
    refund_selection::{self, ACKNOWLEDGEMENT, ALL, AMOUNT, DESCRIPTION, LINES, REASON, TIP},
};
use crate::{
    json::Json,
    read::{self, Object, Reader, Value, Variant, read_fields},
    schema::MAX_PARTS,
};

/// Requested refund. Only a preview may omit the reason: then `R` is `Option<RefundReason>`.
#[derive(Debug)]
pub struct RequestedRefund<R = RefundReason> {
    /// Decision to take.
    pub draft: RefundDraft,
    /// Refund to retry, as sent; `Some` exactly with scope `retry`.
    pub retried: Option<BoundedText<1, 256>>,
    /// Reason.
    pub reason: R,
    /// The merchant's reference of a settlement outside.
    pub settlement_reference: Option<BoundedText<1, 64>>,
    /// Text for the credit note.
    pub description: Option<NoteText>,
    /// The merchant's own reference.
    pub refund_reference: Option<BoundedText<1, 128>>,
    /// The merchant's own notes.
    pub metadata: Option<Vec<(String, Prose)>>,
}

/// Part of the sale to refund, with the fields that depend on the scope.
struct Selected {
    selection: RefundSelection,
    parts: Option<Vec<PartAmount>>,
    retried: Option<BoundedText<1, 256>>,
}

/// Parses the request. Rules that need the payment, such as the currency and the IDs of lines, are left to the refund.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. A field of another scope counts as unknown.
pub fn parse(body: &Json) -> Result<RequestedRefund, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<RequestedRefund> {
    let scope = |value, about, schema, read| Variant { value, about, schema, read };
    body.tagged(
        "scope",
        [
            scope("all", ALL, "RefundAll", |body| of_scope(body, required, refund_selection::all)),
            scope("lines", LINES, "RefundLines", |body| of_scope(body, required, refund_selection::lines)),
            scope("amount", AMOUNT, "RefundAmount", |body| of_scope(body, required, refund_selection::amount)),
            scope("tip", TIP, "RefundTip", |body| of_scope(body, required, refund_selection::tip)),
            scope("retry", RETRY, "RefundRetry", |body| of_retry(body, required)),
        ],
    )
}

/// Description of the field `scope` of a retry.
pub(super) const RETRY: &str = "The failed legs of another refund.";

fn required(body: &mut Object<'_>) -> Option<RefundReason> {
    body.required("reason", REASON, read::code)
}

pub(super) fn optional(body: &mut Object<'_>) -> Option<Option<RefundReason>> {
    body.optional("reason", REASON, read::code)
}

/// Reads a refund of a part of the sale.
pub(super) fn of_scope<R>(
    body: &mut Object<'_>,
    reason: Reader<R>,
    selection: Reader<RefundSelection>,
) -> Option<RequestedRefund<R>> {
    const PARTS: &str = "Amounts by part of a split, 1 to 10, which add up to the refund. Default: over all charges, by their \
                         remaining money.";

    let reason = reason(body);
    let selection = selection(body);
    let parts = body.optional("parts", PARTS, parts);
    let selected = selection.zip(parts).map(|(selection, parts)| Selected { selection, parts, retried: None });
    request(body, reason, selected)
}

/// Reads a refund of the failed legs of another one.
pub(super) fn of_retry<R>(body: &mut Object<'_>, reason: Reader<R>) -> Option<RequestedRefund<R>> {
    let about = "Identifier of the refund whose failed legs are returned. A refund can be retried once.";
    let reason = reason(body);
    let retried = body.required("retriedRefundId", about, read::line);
    let selected = retried.map(|id| Selected { selection: RefundSelection::Retry, parts: None, retried: Some(id) });
    request(body, reason, selected)
}

/// Reads the fields of every scope.
fn request<R>(body: &mut Object<'_>, reason: Option<R>, selected: Option<Selected>) -> Option<RequestedRefund<R>> {
    let (settlement, settlement_reference) = settlement(body);
    let description = body.optional("description", DESCRIPTION, read::line);
    let about = "The merchant's own reference of the refund: one line of 1 to 128 characters. It need not be unique.";
    let refund_reference = body.optional("refundReference", about, read::line);
    let metadata = body.optional("metadata", metadata::ABOUT, metadata::read);
    let acknowledges_itbis_loss = body.with_default("acknowledgesItbisLoss", ACKNOWLEDGEMENT, read::boolean);
    let Selected { selection, parts, retried } = selected?;
    let (settlement, acknowledges_itbis_loss) = (settlement?, acknowledges_itbis_loss?);
    Some(RequestedRefund {
        draft: RefundDraft { selection, settlement, parts, acknowledges_itbis_loss },
        retried,
        reason: reason?,
        settlement_reference: settlement_reference?,
        description: description?,
        refund_reference: refund_reference?,
        metadata: metadata?,
    })
}

/// Reads how the money moves, and the merchant's reference, which only a settlement outside has.
fn settlement(body: &mut Object<'_>) -> (Option<RefundSettlement>, Option<Option<BoundedText<1, 64>>>) {
    const SETTLEMENT: &str = "`acquirer`: to the cards that paid. `outside`: in cash, by transfer, or beyond the provider's \
                              window; Cobro only issues the credit note. Default: `acquirer`.";
    const REFERENCE: &str = "The merchant's reference of the settlement, only with `settlement` `outside`: one line of 1 to 64 \
                             characters.";

    let settlement = body.optional("settlement", SETTLEMENT, read::code);
    let settlement = settlement.map(|sent: Option<RefundSettlement>| sent.unwrap_or(RefundSettlement::Acquirer));
    let reference = body.optional("settlementReference", REFERENCE, read::line);
    match (settlement, &reference) {
        (Some(RefundSettlement::Acquirer), Some(Some(_))) => {
            let refused = body.invalid("settlementReference", "Only a settlement outside has a reference.");
            (settlement, refused)
        }
        _ => (settlement, reference),
    }
}

/// Reads amounts by part: each part once.
fn parts(value: Value<'_>) -> Option<Vec<PartAmount>> {
    let parts = value.list(1..=MAX_PARTS, part)?;
    match PartAmount::repeated(&parts) {
        Some(index) => value.invalid_field((index, "ordinal"), "The part is named twice."),
        None => Some(parts),
    }
}

fn part(value: Value<'_>) -> Option<PartAmount> {
    value.object(|part| {
        read_fields!(part => PartAmount {
            /// Ordinal of the part, 1 to 10.
            ordinal: required("ordinal", |value| value.integer_of(1..=MAX_PARTS as i64)),
            /// Amount to return to the card of the part: at least 1 minor unit.
            amount: required("amount", |value| money::money(value, 1)),
        })
    })
}
