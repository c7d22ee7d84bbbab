//! `POST /payments/{paymentId}/refunds`.

use domain::{
    Refusal, Split,
    fiscal::NoteText,
    refund::{PartAmount, RefundDraft, RefundPurpose, RefundReason, RefundSelection, RefundSettlement},
    text::{BoundedText, Prose},
};

use super::{
    metadata, money,
    refund_selection::{self, ACKNOWLEDGEMENT, DESCRIPTION, REASON, SCOPE},
};
use crate::{
    json::Json,
    read::{self, Object, Value, read_fields},
};

/// Requested refund.
#[derive(Debug)]
pub struct RequestedRefund {
    /// Decision to take.
    pub draft: RefundDraft,
    /// Refund to retry, as sent; `Some` exactly with scope `retry`.
    pub retried: Option<BoundedText<1, 256>>,
    /// Purpose.
    pub purpose: RefundPurpose,
    /// The merchant's reference of a settlement outside.
    pub settlement_reference: Option<BoundedText<1, 64>>,
    /// The merchant's own reference.
    pub refund_reference: Option<BoundedText<1, 128>>,
    /// The merchant's own notes.
    pub metadata: Option<Vec<(String, Prose)>>,
}

/// Request in which only a preview may omit the reason.
pub(super) struct Fields {
    pub(super) draft: RefundDraft,
    pub(super) retried: Option<BoundedText<1, 256>>,
    reason: Option<RefundReason>,
    terms: Terms,
}

/// Fields of every scope.
struct Terms {
    settlement: RefundSettlement,
    settlement_reference: Option<BoundedText<1, 64>>,
    description: Option<NoteText>,
    refund_reference: Option<BoundedText<1, 128>>,
    metadata: Option<Vec<(String, Prose)>>,
    acknowledges_itbis_loss: bool,
}

/// Parses the request. Rules that need the payment, such as the currency and the names of lines, are left to the refund.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. A field of another scope counts as unknown.
pub fn parse(body: &Json) -> Result<RequestedRefund, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<RequestedRefund> {
    let fields = body.tagged(
        ("scope", SCOPE),
        [
            ("all", "RefundAll", |body| of_scope(body, required, refund_selection::all)),
            ("lines", "RefundLines", |body| of_scope(body, required, refund_selection::lines)),
            ("amount", "RefundAmount", |body| of_scope(body, required, refund_selection::amount)),
            ("tip", "RefundTip", |body| of_scope(body, required, refund_selection::tip)),
            ("retry", "RefundRetry", |body| of_retry(body, required)),
        ],
    )?;
    let Fields { draft, retried, reason, terms } = fields;
    let Terms { settlement_reference, description, refund_reference, metadata, .. } = terms;
    let purpose = RefundPurpose { reason: reason?, description };
    Some(RequestedRefund { draft, retried, purpose, settlement_reference, refund_reference, metadata })
}

/// Reader of the field `reason`.
type Reason = fn(&mut Object<'_>) -> Option<Option<RefundReason>>;

fn required(body: &mut Object<'_>) -> Option<Option<RefundReason>> {
    body.required("reason", REASON, read::code).map(Some)
}

pub(super) fn optional(body: &mut Object<'_>) -> Option<Option<RefundReason>> {
    body.optional("reason", REASON, read::code)
}

/// Reads a refund of a part of the sale.
pub(super) fn of_scope(
    body: &mut Object<'_>,
    reason: Reason,
    selection: fn(&mut Object<'_>) -> Option<RefundSelection>,
) -> Option<Fields> {
    const PARTS: &str = "Amounts by part of a split, 1 to 10, which add up to the refund. Default: over all charges, by their \
                         remaining money.";

    let reason = reason(body);
    let selection = selection(body);
    let parts = body.optional("parts", PARTS, |value| value.list(1..=MAX_PARTS, part));
    let terms = terms(body);
    Some(Fields::new((selection?, parts?), None, reason?, terms?))
}

/// Reads a refund of the failed legs of another one.
pub(super) fn of_retry(body: &mut Object<'_>, reason: Reason) -> Option<Fields> {
    let about = "Identifier of the refund whose failed legs are returned. A refund can be retried once.";
    let reason = reason(body);
    let retried = body.required("retriedRefundId", about, read::line).map(Some);
    let terms = terms(body);
    Some(Fields::new((RefundSelection::Retry, None), retried?, reason?, terms?))
}

impl Fields {
    fn new(
        (selection, parts): (RefundSelection, Option<Vec<PartAmount>>),
        retried: Option<BoundedText<1, 256>>,
        reason: Option<RefundReason>,
        terms: Terms,
    ) -> Self {
        let Terms { settlement, acknowledges_itbis_loss, .. } = terms;
        let draft = RefundDraft { selection, settlement, parts, acknowledges_itbis_loss };
        Self { draft, retried, reason, terms }
    }
}

fn terms(body: &mut Object<'_>) -> Option<Terms> {
    let (settlement, settlement_reference) = settlement(body);
    let description = body.optional("description", DESCRIPTION, read::line);
    let about = "The merchant's own reference of the refund: one line of 1 to 128 characters. It need not be unique.";
    let refund_reference = body.optional("refundReference", about, read::line);
    let metadata = body.optional("metadata", metadata::ABOUT, metadata::read);
    let acknowledges_itbis_loss = body.with_default("acknowledgesItbisLoss", ACKNOWLEDGEMENT, read::boolean);
    Some(Terms {
        settlement: settlement?,
        settlement_reference: settlement_reference?,
        description: description?,
        refund_reference: refund_reference?,
        metadata: metadata?,
        acknowledges_itbis_loss: acknowledges_itbis_loss?,
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

fn part(value: Value<'_>) -> Option<PartAmount> {
    value.object(|part| {
        read_fields!(part => PartAmount {
            /// Ordinal of the part, 1 to 10.
            ordinal: required("ordinal", |value| value.integer_of(1..=MAX_PARTS as i64)),
            /// Amount that the part gets back: at least 1 minor unit.
            amount: required("amount", |value| money::money(value, 1)),
        })
    })
}

/// Maximum number of parts, and maximum ordinal of a part.
const MAX_PARTS: usize = *Split::PART_COUNTS.end();
