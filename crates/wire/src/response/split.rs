use domain::split::{self, Split};
use serde::Serialize;

use super::{Money, payment_status::PaymentMethodSummary};

/// How far a bill has come that several payers share.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MerchantSplit<'a> {
    status: &'static str,
    captured: Money,
    authorized: Money,
    remaining_to_authorize: Money,
    remaining_to_capture: Money,
    captured_count: u8,
    authorized_count: u8,
    part_count: usize,
    parts: Vec<Part<'a>>,
}

/// One share of the bill.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    ordinal: u8,
    amount: Money,
    allocated_itbis: Money,
    status: &'static str,
    payment_method_summary: Option<PaymentMethodSummary<'a>>,
}

impl<'a> From<&'a Split> for MerchantSplit<'a> {
    fn from(split: &'a Split) -> Self {
        let figures = split.figures().expect("the parts of a split are cut from one bill");
        Self {
            status: split.status().as_str(),
            captured: figures.captured.into(),
            authorized: figures.authorized.into(),
            remaining_to_authorize: figures.remaining_to_authorize.into(),
            remaining_to_capture: figures.remaining_to_capture.into(),
            captured_count: figures.captured_count,
            authorized_count: figures.authorized_count,
            part_count: split.parts().len(),
            parts: split.parts().iter().map(Part::from).collect(),
        }
    }
}

impl<'a> From<&'a split::Part> for Part<'a> {
    fn from(part: &'a split::Part) -> Self {
        Self {
            ordinal: part.ordinal,
            amount: part.share.amount.into(),
            allocated_itbis: part.share.allocated_itbis.into(),
            status: part.status().as_str(),
            payment_method_summary: part.state().method.as_ref().map(PaymentMethodSummary::from),
        }
    }
}
