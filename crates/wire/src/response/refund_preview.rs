use domain::{
    Currency, PaymentId,
    refund::{self, Modification, RefundAmounts, RefundPlan, RefundPreview, RefundScope},
    sale::Sale,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Breakdown, Money,
    refund_leg::PreviewLeg,
    refund_line::{RefundLine, breakdown_of, refund_lines},
    value::{Coded, Id, RefundPreviewObject},
};

/// Refund that was computed and not created. It binds neither side: a later request may differ.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RefundPreview")]
pub struct RefundPreviewResponse<'a> {
    /// Type of the object.
    object: RefundPreviewObject,
    /// Payment to refund.
    payment_id: Id<'a, PaymentId>,
    /// Requested part of the sale.
    scope: Coded<RefundScope>,
    /// Whether the refund is possible. `false`: no credit note can state exactly this amount.
    is_exact: bool,
    /// Amounts next to the requested one that have a credit note. `null` unless `isExact` is `false`.
    nearest_amounts: Option<NearestAmounts>,
    /// Amount of the sale's `amount`.
    amount: Money,
    /// Amount of the voluntary tip.
    voluntary_tip: Money,
    /// The sum of both.
    total_amount: Money,
    /// Lines to credit. Empty if no document is credited, and if `isExact` is `false`.
    #[schemars(length(max = 1000))]
    lines: Vec<RefundLine<'a>>,
    /// Composition of the lines. `null` if `lines` is empty.
    breakdown: Option<Breakdown<'a>>,
    /// Whether the credit note `cancels` the document or `corrects_amounts`. `null` if `lines` is empty.
    modification: Option<Coded<Modification>>,
    /// Whether a credit note of today is more than 30 days younger than its document, so that the issuer cannot deduct the
    /// ITBIS. `null` if `lines` is empty.
    is_after_thirty_days: Option<bool>,
    /// Whether the refund needs `acknowledgesItbisLoss`.
    needs_acknowledgement: bool,
    /// Shares of the charges in the refund, by ordinal. Empty if `isExact` is `false`.
    #[schemars(length(max = 10))]
    legs: Vec<PreviewLeg>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
struct NearestAmounts {
    /// Next lower amount, at most 5 minor units less. `null` if there is none.
    below: Option<Money>,
    /// Next higher amount, at most 5 minor units more. `null` if there is none.
    above: Option<Money>,
}

impl<'a> RefundPreviewResponse<'a> {
    /// Returns the preview of a refund of `sale`.
    pub fn new(sale: &'a Sale, preview: &'a RefundPreview) -> Self {
        let payment = &sale.payment.facts;
        let currency = payment.amount.currency();
        match preview {
            RefundPreview::Exact(plan) => Self::exact(&payment.id, plan, currency),
            RefundPreview::Inexact { requested, nearest } => Self {
                nearest_amounts: Some(NearestAmounts::new(nearest, currency)),
                ..Self::inexact(&payment.id, *requested, currency)
            },
        }
    }

    fn exact(payment: &'a PaymentId, plan: &'a RefundPlan, currency: Currency) -> Self {
        Self {
            scope: plan.scope.into(),
            is_exact: true,
            lines: refund_lines(plan.note.as_ref()),
            breakdown: breakdown_of(plan.note.as_ref()),
            modification: plan.modification.map(Coded::from),
            is_after_thirty_days: plan.is_late,
            needs_acknowledgement: plan.needs_acknowledgement(),
            legs: plan.legs.iter().map(|leg| PreviewLeg::new(leg, currency)).collect(),
            ..Self::inexact(payment, plan.requested, currency)
        }
    }

    /// Returns a preview of an amount without lines and legs.
    fn inexact(payment: &'a PaymentId, requested: RefundAmounts, currency: Currency) -> Self {
        let money = |minor_units: i64| Money::from(domain::Money::new(minor_units, currency));
        Self {
            object: RefundPreviewObject,
            payment_id: payment.into(),
            scope: RefundScope::Amount.into(),
            is_exact: false,
            nearest_amounts: None,
            amount: money(requested.amount),
            voluntary_tip: money(requested.voluntary_tip),
            // The tip is at most what was captured, so the sum fits.
            total_amount: money(requested.total().unwrap_or(i64::MAX)),
            lines: Vec::new(),
            breakdown: None,
            modification: None,
            is_after_thirty_days: None,
            needs_acknowledgement: false,
            legs: Vec::new(),
        }
    }
}

impl NearestAmounts {
    fn new(nearest: &refund::NearestAmounts, currency: Currency) -> Self {
        let money = |minor_units: i64| Money::from(domain::Money::new(minor_units, currency));
        Self { below: nearest.below.map(money), above: nearest.above.map(money) }
    }
}
