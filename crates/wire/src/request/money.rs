use std::ops::RangeInclusive;

use domain::sale::AmountDraft;

use crate::{
    read::{Value, read_fields},
    schema,
};

/// Reads an amount. The sale checks whether an account settles in the currency.
pub(super) fn amount(value: Value<'_>, minor_units: RangeInclusive<i64>) -> Option<AmountDraft> {
    value.object(|amount| {
        read_fields!(amount => AmountDraft {
            /// ISO 4217 alphabetic code: `DOP` or `USD`.
            currency: required("currency", currency),
            /// Integer of minor units (cents): 12800 is 128.00.
            minor_units: required("minorUnits", |value| value.integer_of(minor_units)),
        })
    })
}

fn currency(value: Value<'_>) -> Option<String> {
    let is_code = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    value.parsed(
        schema::currency,
        |text| is_code(text).then(|| text.to_owned()),
        "The value must be three upper-case letters.",
    )
}
