//! Values in the format of documents.

use std::ops::RangeInclusive;

use chrono::{NaiveDate, NaiveDateTime};
use rust_decimal::Decimal;

use super::element::{MalformedXml, XmlElement};

/// Valid number of decimals, if there are any.
pub(crate) type Decimals = RangeInclusive<usize>;

/// Of amounts in a document.
pub(crate) const IN_FULL: Decimals = 1..=2;
/// Of amounts in a summary.
pub(crate) const IN_SUMMARY: Decimals = 2..=2;
/// Of unit prices.
pub(crate) const IN_PRICES: Decimals = 1..=4;

/// Parses a number: 1 to 16 digits, and decimals after a point, without a sign.
pub(crate) fn number(text: &str, decimals: &Decimals) -> Option<Decimal> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let are_digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = (1..=16).contains(&whole.len())
        && are_digits(whole)
        && fraction.is_none_or(|it| decimals.contains(&it.len()) && are_digits(it));
    is_number.then(|| Decimal::from_str_exact(text).ok()).flatten()
}

/// Parses the number of a child, if present.
pub(crate) fn optional(of: &XmlElement, name: &str, decimals: &Decimals) -> Result<Option<Decimal>, MalformedXml> {
    let parse = |text| number(text, decimals).ok_or(MalformedXml("an amount is not spelled as amounts are"));
    of.text_of(name).map(parse).transpose()
}

/// Parses the number of a child.
pub(crate) fn required(of: &XmlElement, name: &str, decimals: &Decimals) -> Result<Decimal, MalformedXml> {
    optional(of, name, decimals)?.ok_or(MalformedXml("an amount is missing"))
}

/// Parses a day.
pub(crate) fn day(text: &str) -> Result<NaiveDate, MalformedXml> {
    let day = Some(text).filter(|it| it.len() == 10).and_then(|it| NaiveDate::parse_from_str(it, "%d-%m-%Y").ok());
    day.ok_or(MalformedXml("a date is not dd-MM-yyyy"))
}

/// Parses a time in the Dominican zone.
pub(crate) fn instant(text: &str) -> Result<NaiveDateTime, MalformedXml> {
    let whole = Some(text).filter(|it| it.len() == 19);
    let instant = whole.and_then(|it| NaiveDateTime::parse_from_str(it, "%d-%m-%Y %H:%M:%S").ok());
    instant.ok_or(MalformedXml("a time is not dd-MM-yyyy HH:mm:ss"))
}
