use domain::refund;
use schemars::JsonSchema;
use serde::Serialize;

use super::Money;

/// Sums over the refunds of a payment. Failed legs count in none of them.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefundSummary {
    /// Money that was returned.
    refunded_amount: Money,
    /// Pending money: the legs without an outcome.
    pending_amount: Money,
    /// Money that a refund can still return, the voluntary tip included: never below 0.
    refundable_amount: Money,
    /// Voluntary tip that a refund can still return.
    refundable_tip: Money,
    /// Number of refunds, of every status.
    refund_count: u32,
    /// Returned money of the document that no credit note states yet, in minor units (cents), never below 0: 0, except
    /// after a partial success or an attribution. The next credit note states it.
    #[schemars(range(min = 0))]
    undocumented_minor_units: i64,
}

impl From<refund::RefundSummary> for RefundSummary {
    fn from(summary: refund::RefundSummary) -> Self {
        Self {
            refunded_amount: summary.refunded.into(),
            pending_amount: summary.pending.into(),
            refundable_amount: summary.refundable.into(),
            refundable_tip: summary.refundable_tip.into(),
            refund_count: summary.count,
            undocumented_minor_units: summary.undocumented.minor_units(),
        }
    }
}
