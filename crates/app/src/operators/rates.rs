use chrono::NaiveDate;
use domain::{Currency, fiscal::ExchangeRate, text::BoundedText};
use ports::{Clock, MerchantRegistry, Tenant};

use super::error::SetupError;

/// A published exchange rate.
#[derive(Clone, Debug)]
pub struct QuotedRate {
    /// Of which currency.
    pub currency: Currency,
    /// Pesos for one unit, in ten-thousandths.
    pub ratio: u32,
    /// Day of the rate.
    pub day: NaiveDate,
    /// Publisher of the rate.
    pub source: BoundedText<1, 80>,
    /// Number of days for which the rate is valid, including the day itself.
    pub days: u16,
}

const NO_RATE: &str = "a rate is of another currency than pesos, 1.0000 to 999.9999, and of a day of this century";

/// Sets the exchange rate of a currency for the tenant's sales from that day on. Uses registry and clock alone.
///
/// Existing sales keep their rate.
pub async fn set_rate(
    registry: &dyn MerchantRegistry,
    clock: &dyn Clock,
    tenant: &Tenant,
    quoted: QuotedRate,
) -> Result<ExchangeRate, SetupError> {
    let QuotedRate { currency, ratio, day, source, days } = quoted;
    let last_day = ExchangeRate::last_day_of(day, days).ok_or(SetupError::Invalid("there are not so many days"))?;
    let rate = ExchangeRate::new(currency, ratio, day, source, last_day);
    let rate = rate.ok_or(SetupError::Invalid(NO_RATE))?;
    registry.add_rate(tenant, &rate, clock.now()).await?;
    Ok(rate)
}
