use diesel::prelude::*;
use domain::{Currency, fiscal::ExchangeRate, text::BoundedText};
use ports::Tenant;

use super::{Inconsistent, StoredRow};
use crate::{column::Column, schema::exchange_rates, time::date};

/// One row of `exchange_rates`, without the age.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = exchange_rates, treat_none_as_default_value = false)]
pub(crate) struct RateRow {
    merchant: String,
    mode: String,
    currency: String,
    day: String,
    ratio: i64,
    source: String,
    last_day: String,
}

impl RateRow {
    pub(crate) fn new(tenant: &Tenant, rate: &ExchangeRate) -> Self {
        Self {
            merchant: tenant.merchant.store(),
            mode: tenant.mode.store(),
            currency: rate.currency().store(),
            day: rate.day().store(),
            ratio: rate.ratio().store(),
            source: rate.source().store(),
            last_day: rate.last_day().store(),
        }
    }

    fn read(&self) -> Option<ExchangeRate> {
        let ratio = u32::try_from(self.ratio).ok()?;
        let (day, last_day) = (date(&self.day)?, date(&self.last_day)?);
        ExchangeRate::new(Currency::from_code(&self.currency)?, ratio, day, BoundedText::parse(&self.source)?, last_day)
    }
}

impl StoredRow for RateRow {
    type Value = ExchangeRate;

    fn restore(self) -> Result<ExchangeRate, Inconsistent> {
        let broken = Inconsistent::of("exchange_rates", &format!("{} {}", self.currency, self.day));
        self.read().ok_or_else(|| broken("ratio"))
    }
}
