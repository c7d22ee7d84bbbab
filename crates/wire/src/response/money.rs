use domain::Currency;
use schemars::JsonSchema;
use serde::Serialize;

use super::value::Coded;

/// Amount of money in minor units.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Money {
    /// ISO 4217 alphabetic code.
    currency: Coded<Currency>,
    /// Integer of minor units (cents): 12800 is 128.00.
    minor_units: i64,
}

impl From<domain::Money> for Money {
    fn from(money: domain::Money) -> Self {
        Self { currency: money.currency().into(), minor_units: money.minor_units() }
    }
}
