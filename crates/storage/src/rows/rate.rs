use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{Currency, fiscal::ExchangeRate, text::BoundedText};
use ports::Tenant;

use super::Inconsistent;
use crate::{
    schema::exchange_rates,
    time::{date, day, millis},
};

/// One row of `exchange_rates`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = exchange_rates, treat_none_as_default_value = false)]
pub(crate) struct RateRow {
    merchant: String,
    mode: String,
    currency: String,
    day: String,
    set_at: i64,
    ratio: i64,
    source: String,
    last_day: String,
}

impl RateRow {
    pub(crate) fn new(tenant: &Tenant, rate: &ExchangeRate, now: DateTime<Utc>) -> Self {
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            currency: rate.currency().code().to_owned(),
            day: day(rate.day()),
            set_at: millis(now),
            ratio: rate.ratio().into(),
            source: rate.source().as_str().to_owned(),
            last_day: day(rate.last_day()),
        }
    }

    fn restore(&self) -> Option<ExchangeRate> {
        let ratio = u32::try_from(self.ratio).ok()?;
        let (day, last_day) = (date(&self.day)?, date(&self.last_day)?);
        ExchangeRate::new(Currency::from_code(&self.currency)?, ratio, day, BoundedText::parse(&self.source)?, last_day)
    }
}

impl TryFrom<RateRow> for ExchangeRate {
    type Error = Inconsistent;

    fn try_from(row: RateRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("exchange_rates", &format!("{} {}", row.currency, row.day));
        row.restore().ok_or_else(|| broken("ratio"))
    }
}
