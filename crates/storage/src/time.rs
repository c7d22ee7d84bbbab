//! Instants as they are kept: whole milliseconds since 1970, the finest that the clock gives.

use chrono::{DateTime, NaiveDate, Utc};

pub(crate) const fn millis(instant: DateTime<Utc>) -> i64 {
    instant.timestamp_millis()
}

pub(crate) fn instant(millis: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(millis)
}

/// A day as `2026-03-01`.
pub(crate) fn day(date: NaiveDate) -> String {
    date.format("%Y-%m-%d").to_string()
}

pub(crate) fn date(day: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()
}
