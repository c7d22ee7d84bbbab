//! `POST` and `PUT /payments/{paymentId}/split`.

use domain::{Refusal, sale::AmountDraft, split::SplitDraft};

use super::money;
use crate::{
    json::Json,
    read::{self, Object, Value, Variant},
};

/// Parses the parts of a split. The payment checks their number and their total.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. A field of the other strategy counts as unknown.
pub fn parse(body: &Json) -> Result<SplitDraft, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<SplitDraft> {
    let [equally, by_amounts] = ["Divides the total evenly.", "States the amount of each part."];
    let variants = [
        Variant { value: "equal", about: equally, schema: "SplitEqually", read: equal },
        Variant { value: "amounts", about: by_amounts, schema: "SplitByAmounts", read: amounts },
    ];
    body.tagged("strategy", variants)
}

fn equal(body: &mut Object<'_>) -> Option<SplitDraft> {
    let about = "Number of parts, 2 to 10. The first parts get the minor units that are left over.";
    body.required("partCount", about, read::integer).map(|part_count| SplitDraft::Equal { part_count })
}

fn amounts(body: &mut Object<'_>) -> Option<SplitDraft> {
    // The payment refuses a wrong number of parts with another code.
    let about = "2 to 10 parts, whose amounts add up to the payment's `totalAmount`.";
    body.required("parts", about, |value| value.list(0..=usize::MAX, part)).map(SplitDraft::Amounts)
}

fn part(value: Value<'_>) -> Option<AmountDraft> {
    value.object(|part| {
        part.required("amount", "Amount that the payer of this part pays.", |value| {
            money::amount(value, i64::MIN..=i64::MAX)
        })
    })
}
