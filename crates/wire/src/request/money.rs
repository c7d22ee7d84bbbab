use std::ops::RangeInclusive;

use domain::{Currency, Money, sale::AmountDraft};

use crate::{
    read::{self, Value, read_fields},
    schema,
};

/// Reads an amount. The sale checks whether an account settles in the currency.
pub(super) fn amount(value: Value<'_>, minor_units: RangeInclusive<i64>) -> Option<AmountDraft> {
    value.object(|amount| {
        read_fields!(amount => AmountDraft {
            /// ISO 4217 alphabetic code: `DOP` or `USD`.
            currency: required("currency", currency),
            minor_units: required("minorUnits", MINOR_UNITS, |value| value.integer_of(minor_units)),
        })
    })
}

/// Reads an amount of at least `least` minor units. The payment checks whether the currency is its own.
pub(super) fn money(value: Value<'_>, least: i64) -> Option<Money> {
    value.object(|money| {
        let currency: Option<Currency> =
            money.required("currency", "ISO 4217 alphabetic code of the payment's currency.", read::code);
        let minor_units = money.required("minorUnits", MINOR_UNITS, |value| value.integer_of(least..=i64::MAX));
        Some(Money::new(minor_units?, currency?))
    })
}

/// Description of the field `minorUnits`.
const MINOR_UNITS: &str = "Integer of minor units (cents): 12800 is 128.00.";

fn currency(value: Value<'_>) -> Option<String> {
    let is_code = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    value.parsed(
        schema::currency,
        |text| is_code(text).then(|| text.to_owned()),
        "The value must be three upper-case letters.",
    )
}
