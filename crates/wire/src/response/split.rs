use domain::split::{self, PartStatus, Split, SplitStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Money, payment_status::PaymentMethodSummary, value::Coded};
use crate::schema::MAX_PARTS;

const MIN_PARTS: usize = *Split::PART_COUNTS.start();

/// Split of a payment among several payers.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MerchantSplit<'a> {
    /// Status of the split.
    status: Coded<SplitStatus>,
    /// Amount that is settled.
    captured: Money,
    /// Amount that is reserved on cards.
    authorized: Money,
    /// Amount that no card has reserved yet.
    remaining_to_authorize: Money,
    /// Amount that is not settled yet.
    remaining_to_capture: Money,
    /// Number of parts that are settled.
    #[schemars(range(max = MAX_PARTS))]
    captured_count: u8,
    /// Number of parts that are reserved.
    #[schemars(range(max = MAX_PARTS))]
    authorized_count: u8,
    /// Number of parts.
    #[schemars(range(min = MIN_PARTS, max = MAX_PARTS))]
    part_count: usize,
    /// Parts, by ordinal.
    #[schemars(length(min = MIN_PARTS, max = MAX_PARTS))]
    parts: Vec<Part<'a>>,
}

/// Part of a split.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SplitPart")]
pub(super) struct Part<'a> {
    /// Ordinal of the part, counted from 1.
    #[schemars(range(min = 1, max = MAX_PARTS), extend("format" = "int64"))]
    ordinal: u8,
    /// Amount of the part.
    amount: Money,
    /// ITBIS that is contained in the amount.
    allocated_itbis: Money,
    /// Status of the part.
    status: Coded<PartStatus>,
    /// Card that was last submitted. `null` before the first.
    payment_method_summary: Option<PaymentMethodSummary<'a>>,
}

impl<'a> From<&'a Split> for MerchantSplit<'a> {
    fn from(split: &'a Split) -> Self {
        let figures = split.figures().expect("all parts of a split have the currency of the payment");
        Self {
            status: split.status().into(),
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
            status: part.status().into(),
            payment_method_summary: part.state().method.as_ref().map(PaymentMethodSummary::from),
        }
    }
}
