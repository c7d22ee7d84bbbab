use domain::{
    Currency,
    refund::{self, LegMethod, LegStatus, PlannedLeg, RefundFailureCode},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Money,
    payment_status::PaymentMethodSummary,
    value::{Coded, OpenCode, Text, Timestamp},
};

/// Leg of a refund: the share that one charge returns.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RefundLeg")]
pub(super) struct Leg<'a> {
    /// Ordinal of the refunded part, 1 to 10. `null` if the payment is not split.
    #[schemars(range(min = 1, max = 10), extend("format" = "int64"))]
    ordinal: Option<u8>,
    /// Amount of the leg.
    amount: Money,
    /// Share of the leg in the ITBIS of the credit note.
    itbis: Money,
    /// Status of the leg.
    status: Coded<LegStatus>,
    /// `void`: the charge is canceled. `refund`: the money of the charge is returned. `outside`: without the provider. A
    /// refused `void` continues as `refund`.
    method: Coded<LegMethod>,
    /// Reference of the operation at the provider: 1 to 64 characters. `null` if there is none.
    acquirer_reference: Option<Text<'a, 1, 64>>,
    /// Card that paid the charge. `null` if the card is not known.
    payment_method_summary: Option<PaymentMethodSummary<'a>>,
    /// Why the money was not returned. `null` unless `status` is `failed`.
    failure: Option<RefundFailure>,
    /// When the leg succeeded or failed. `null` before.
    settled_at: Option<Timestamp>,
}

/// Why money was not returned.
#[derive(JsonSchema, Serialize)]
pub(super) struct RefundFailure {
    /// Stable code. More codes may be added.
    code: OpenCode<RefundFailureCode>,
    /// Text for people. The wording may change.
    message: &'static str,
}

/// Leg of a previewed refund.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "RefundPreviewLeg")]
pub(super) struct PreviewLeg {
    /// Ordinal of the refunded part, 1 to 10. `null` if the payment is not split.
    #[schemars(range(min = 1, max = 10), extend("format" = "int64"))]
    ordinal: Option<u8>,
    /// Amount of the leg.
    amount: Money,
    /// Share of the leg in the ITBIS of the credit note.
    itbis: Money,
    /// Operation by the present terms of the provider. It may change before the refund.
    method: Coded<LegMethod>,
}

impl<'a> Leg<'a> {
    pub(super) fn new(leg: &'a refund::Leg, currency: Currency) -> Self {
        let money = |minor_units: i64| Money::from(domain::Money::new(minor_units, currency));
        let state = leg.state();
        Self {
            ordinal: leg.ordinal,
            amount: money(leg.amount),
            itbis: money(state.itbis),
            status: leg.status().into(),
            method: state.method.into(),
            acquirer_reference: state.reference.as_ref().map(Text::from),
            payment_method_summary: leg.card.as_ref().map(PaymentMethodSummary::from),
            failure: leg.failure().map(RefundFailure::from),
            settled_at: leg.settled_at().map(Timestamp::from),
        }
    }
}

impl PreviewLeg {
    pub(super) fn new(leg: &PlannedLeg, currency: Currency) -> Self {
        let money = |minor_units: i64| Money::from(domain::Money::new(minor_units, currency));
        Self { ordinal: leg.ordinal, amount: money(leg.amount), itbis: money(leg.itbis), method: leg.method.into() }
    }
}

impl From<RefundFailureCode> for RefundFailure {
    fn from(code: RefundFailureCode) -> Self {
        Self { code: code.into(), message: code.message() }
    }
}
