use serde::Serialize;

/// An amount in minor units.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Money {
    currency: &'static str,
    minor_units: i64,
}

impl From<domain::Money> for Money {
    fn from(money: domain::Money) -> Self {
        Self { currency: money.currency().code(), minor_units: money.minor_units() }
    }
}
