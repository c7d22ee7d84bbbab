//! Times in columns: milliseconds since 1970, the resolution of the clock.

use chrono::{DateTime, NaiveDate, Utc};

pub(crate) const fn millis(instant: DateTime<Utc>) -> i64 {
    instant.timestamp_millis()
}

/// Returns the first millisecond that is not before `instant`, for the bounds of a search.
pub(crate) fn bound(instant: DateTime<Utc>) -> i64 {
    millis(instant) + i64::from(!instant.timestamp_subsec_nanos().is_multiple_of(1_000_000))
}

pub(crate) fn instant(millis: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(millis)
}

/// Formats a day as `2026-03-01`.
pub(crate) fn day(date: NaiveDate) -> String {
    date.format("%Y-%m-%d").to_string()
}

pub(crate) fn date(day: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()
}
