use chrono::NaiveDate;
use domain::{Currency, fiscal::ExchangeRate, text::Line};
use ports::{Clock, MerchantRegistry, Tenant};

use super::error::SetupError;

/// A rate as somebody published it.
#[derive(Clone, Debug)]
pub struct QuotedRate {
    /// Of which currency.
    pub currency: Currency,
    /// Pesos for one unit, in ten-thousandths.
    pub ratio: u32,
    /// The day of which it is.
    pub day: NaiveDate,
    /// Who published it.
    pub source: Line<1, 80>,
    /// On how many days it may be used, its own among them.
    pub days: u16,
}

const NO_RATE: &str = "a rate is of another currency than pesos, 1.0000 to 999.9999, and of a day of this century";

/// Sets what a currency is worth in pesos for the tenant's sales from that day on. Uses registry and clock alone.
///
/// Sales that are made already keep what they were made at.
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
