use domain::{
    FiscalDocument, PaymentId, RefundId,
    refund::{
        Refund, RefundOrigin, RefundReason, RefundRecord, RefundScope, RefundSettlement, RefundStatus, ReturnedMoney,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Breakdown, FiscalDocumentResponse, Money,
    metadata::{Metadata, nullable_metadata},
    payment_status::Verification,
    refund_leg::{Leg, RefundFailure},
    refund_line::{RefundLine, breakdown_of, refund_lines},
    value::{Coded, Id, RefundObject, Text, Timestamp},
};

/// Refund: one decision of the merchant to return money, or money that was found at the provider. Amounts are in the
/// payment's currency.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Refund")]
pub struct MerchantRefundResponse<'a> {
    /// Identifier of the refund.
    id: Id<'a, RefundId>,
    /// Type of the object.
    object: RefundObject,
    /// Refunded payment.
    payment_id: Id<'a, PaymentId>,
    /// Status of the refund, computed from the legs. `unattributed`: found at the provider, and not yet attributed by the
    /// merchant.
    status: Coded<RefundStatus>,
    /// `merchant`: requested here. `provider`: found at the provider.
    origin: Coded<RefundOrigin>,
    /// Part of the sale that the refund covers. `null` exactly while `status` is `unattributed`.
    scope: Option<Coded<RefundScope>>,
    /// `acquirer`: to the cards that paid. `outside`: without the provider; Cobro only issues the credit note.
    settlement: Coded<RefundSettlement>,
    /// The merchant's reference of a settlement outside: 1 to 64 characters. `null` if none was sent.
    settlement_reference: Option<Text<'a, 1, 64>>,
    /// Why the money is returned. `null` exactly while `status` is `unattributed`.
    reason: Option<Coded<RefundReason>>,
    /// Text that the credit note states in place of the reason: 1 to 90 characters. `null` if none was sent.
    description: Option<Text<'a, 1, 90>>,
    /// The merchant's own reference of the refund: 1 to 128 characters, not unique. `null` if none was sent.
    refund_reference: Option<Text<'a, 1, 128>>,
    /// Retried refund: this one returns its failed legs. `null` unless `scope` is `retry`.
    retried_refund_id: Option<Id<'a, RefundId>>,
    /// Requested amount of the sale's `amount`.
    amount: Money,
    /// Requested amount of the voluntary tip.
    voluntary_tip: Money,
    /// Requested amount and tip, plus money that the provider returned beyond the charge.
    total_amount: Money,
    /// Returned money: the sum of the succeeded legs. Final once no leg is `processing` or `verifying`.
    returned: Returned,
    /// Credited lines: the planned ones until the last leg ends, then those of the credit note. Empty if no document is
    /// credited.
    #[schemars(length(max = 1000))]
    lines: Vec<RefundLine<'a>>,
    /// Composition of the credited lines. `null` if `lines` is empty.
    breakdown: Option<Breakdown<'a>>,
    /// Whether the credit note is more than 30 days younger than its document, so that the issuer cannot deduct the ITBIS:
    /// as of the last change of the refund, and final once the note has a number. `null` if `lines` is empty.
    is_after_thirty_days: Option<bool>,
    /// Shares of the charges in the refund, by ordinal.
    #[schemars(length(min = 1, max = 10))]
    legs: Vec<Leg<'a>>,
    /// Credit note of the refund. `null` until the last leg ends, and if no document is credited.
    credit_note: Option<FiscalDocumentResponse<'a>>,
    /// Progress of the verification at the provider. `null` unless `status` is `verifying`.
    verification: Option<Verification>,
    /// Why money was not returned: the failure of the lowest failed leg. `null` if no leg failed.
    failure: Option<RefundFailure>,
    /// The merchant's own notes, as sent. `null` if none were sent.
    #[schemars(schema_with = "nullable_metadata")]
    metadata: Option<Metadata<'a>>,
    /// Whether the refund belongs to live mode.
    is_live_mode: bool,
    /// When the refund was created.
    created_at: Timestamp,
    /// When the refund last changed.
    updated_at: Timestamp,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Returned {
    /// Of the sale's `amount`.
    amount: Money,
    /// Of the voluntary tip.
    voluntary_tip: Money,
    /// The sum of both, plus money that the provider returned beyond the charge.
    total_amount: Money,
}

impl<'a> MerchantRefundResponse<'a> {
    /// Returns the refund with its credit note, for its merchant.
    pub fn new(refund: &'a Refund, note: Option<&'a FiscalDocument>) -> Self {
        let (facts, state) = (&refund.facts, refund.state());
        let money = |minor_units: i64| Money::from(domain::Money::new(minor_units, facts.currency));
        let ReturnedMoney { amounts: returned, total: total_returned } = refund.returned();
        Self {
            id: (&facts.id).into(),
            object: RefundObject,
            payment_id: (&facts.payment).into(),
            status: refund.status().into(),
            origin: facts.origin.into(),
            scope: state.scope.map(Coded::from),
            settlement: facts.settlement.into(),
            settlement_reference: facts.settlement_reference.as_ref().map(Text::from),
            reason: state.reason.map(Coded::from),
            description: state.description.as_ref().map(Text::from),
            refund_reference: facts.refund_reference.as_ref().map(Text::from),
            retried_refund_id: facts.retried.as_ref().map(Id::from),
            amount: money(state.requested.amount),
            voluntary_tip: money(state.requested.voluntary_tip),
            total_amount: money(state.total),
            returned: Returned {
                amount: money(returned.amount),
                voluntary_tip: money(returned.voluntary_tip),
                total_amount: money(total_returned),
            },
            lines: refund_lines(state.note.as_ref()),
            breakdown: breakdown_of(state.note.as_ref()),
            is_after_thirty_days: refund.is_late(note),
            legs: refund.legs().iter().map(|leg| Leg::new(leg, facts.currency)).collect(),
            credit_note: note.map(FiscalDocumentResponse::note),
            verification: refund.verification().as_ref().map(Verification::from),
            failure: refund.failure().map(RefundFailure::from),
            metadata: facts.metadata.as_deref().map(Metadata),
            is_live_mode: facts.mode.is_live(),
            created_at: facts.created_at.into(),
            updated_at: state.updated_at.into(),
        }
    }
}

impl<'a> From<&'a RefundRecord> for MerchantRefundResponse<'a> {
    fn from(record: &'a RefundRecord) -> Self {
        Self::new(&record.refund, record.note.as_ref())
    }
}
