//! Amounts, as requests state them.

use std::ops::RangeInclusive;

use domain::sale::AmountDraft;

use crate::read::Value;

/// An amount of any currency. Whether anybody settles in it is not for the reader to say.
pub(super) fn amount(value: Value<'_>, minor_units: RangeInclusive<i64>) -> Option<AmountDraft> {
    value.object(|it| {
        let currency = it.required("currency", currency);
        let minor_units = it.required("minorUnits", |value| value.integer_of(minor_units));
        Some(AmountDraft { currency: currency?, minor_units: minor_units? })
    })
}

fn currency(value: Value<'_>) -> Option<String> {
    let is_code = |text: &str| text.len() == 3 && text.bytes().all(|it| it.is_ascii_uppercase());
    value.parsed(|text| is_code(text).then(|| text.to_owned()), "The value must be three upper-case letters.")
}
