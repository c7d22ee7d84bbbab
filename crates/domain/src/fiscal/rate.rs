//! Exchange rates to pesos, for the documents of one day.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};

use super::{line::hundredth_half_up, local_date};
use crate::{Currency, text::BoundedText};

/// Pesos for one unit of another currency, as published on a day.
///
/// Documents are in pesos for any charge, so a sale in another currency needs a rate; it is frozen on the document
/// when the sale is made, and no later rate changes the document.
///
/// The rate has four decimals, as the authority's `TipoCambio` and the Central Bank's tables.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 11.1.2 and 13, note 19.
///
/// ```
/// use chrono::NaiveDate;
/// use cobro_domain::{Currency::Usd, fiscal::ExchangeRate, text::BoundedText};
///
/// let day = NaiveDate::from_ymd_opt(2026, 11, 27).unwrap();
/// let source = BoundedText::parse("Banco Central, venta").unwrap();
/// let ratio = ExchangeRate::read_ratio("58.1234").unwrap();
/// let rate = ExchangeRate::new(Usd, ratio, day, source, day.succ_opt().unwrap()).unwrap();
///
/// assert_eq!(rate.ratio_text(), "58.1234");
/// assert_eq!(rate.pesos(10_00), Some(581_23)); // 10.00 dollars, to the centavo
/// assert!(!rate.is_usable(day.pred_opt().unwrap()) && rate.is_usable(day));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeRate {
    currency: Currency,
    ratio: u32,
    day: NaiveDate,
    last_day: NaiveDate,
    source: BoundedText<1, 80>,
}

impl ExchangeRate {
    /// Smallest ratio, in ten-thousandths of a peso: below one peso a unit, different amounts would be equal in
    /// centavos.
    pub const LEAST: u32 = 1_0000;
    /// Up to this ratio: three digits before the point are all that a document has.
    pub const MOST: u32 = 999_9999;
    /// Default validity in days: holidays close the bank for up to five.
    pub const DAYS: u16 = 7;

    /// Returns a rate of `ratio` ten-thousandths of a peso, of that day, valid until the end of `last_day`. `None` for
    /// pesos, for a ratio that no document can state, for a rate that ends before it begins, and for a day outside
    /// this century.
    pub fn new(
        currency: Currency,
        ratio: u32,
        day: NaiveDate,
        source: BoundedText<1, 80>,
        last_day: NaiveDate,
    ) -> Option<Self> {
        let is_of_century = |it: NaiveDate| (2000..2100).contains(&it.year());
        let is_rate = currency != Currency::Dop
            && (Self::LEAST..=Self::MOST).contains(&ratio)
            && last_day >= day
            && is_of_century(day)
            && is_of_century(last_day);
        is_rate.then_some(Self { currency, ratio, day, last_day, source })
    }

    /// Parses a ratio such as `58.1234`, with up to four decimals.
    pub fn read_ratio(text: &str) -> Option<u32> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = (1..=3).contains(&whole.len()) && (1..=4).contains(&decimals.len());
        if !is_number || !are_digits(whole) || !are_digits(decimals) {
            return None;
        }
        let ratio = format!("{whole}{decimals:0<4}").parse().ok()?;
        (Self::LEAST..=Self::MOST).contains(&ratio).then_some(ratio)
    }

    /// The currency that is not pesos.
    pub const fn currency(&self) -> Currency {
        self.currency
    }

    /// Pesos for one unit, in ten-thousandths.
    pub const fn ratio(&self) -> u32 {
        self.ratio
    }

    /// Pesos for one unit, with four decimals.
    pub fn ratio_text(&self) -> String {
        format!("{}.{:04}", self.ratio / 1_0000, self.ratio % 1_0000)
    }

    /// Returns the day.
    pub const fn day(&self) -> NaiveDate {
        self.day
    }

    /// Returns the last day of validity.
    pub const fn last_day(&self) -> NaiveDate {
        self.last_day
    }

    /// Returns the publisher, as entered by the operator.
    pub const fn source(&self) -> &BoundedText<1, 80> {
        &self.source
    }

    /// Whether a sale may use the rate on that day: not before its day, and not after its validity.
    pub fn is_usable(&self, today: NaiveDate) -> bool {
        (self.day..=self.last_day).contains(&today)
    }

    /// Whether a sale in `currency` may use the rate now.
    pub(crate) fn serves(&self, currency: Currency, now: DateTime<Utc>) -> bool {
        self.currency == currency && self.is_usable(local_date(now))
    }

    /// Returns the last day of a rate that is valid for so many days, the first included.
    pub fn last_day_of(day: NaiveDate, days: u16) -> Option<NaiveDate> {
        day.checked_add_signed(TimeDelta::days(i64::from(days.max(1)) - 1))
    }

    /// Converts an amount to centavos, rounded half up once; `None` on overflow.
    pub fn pesos(&self, minor_units: i64) -> Option<i64> {
        let exact = i128::from(minor_units).checked_mul(self.ratio.into())?;
        i64::try_from(exact.checked_add(5_000)?.div_euclid(1_0000)).ok()
    }

    /// Converts a unit price to ten-thousandths of a peso, rounded half up once: prices may have four decimals.
    pub fn price(&self, minor_units: i64) -> Option<i64> {
        i64::try_from(hundredth_half_up(i128::from(minor_units).checked_mul(self.ratio.into())?)?).ok()
    }
}
