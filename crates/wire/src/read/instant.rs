use chrono::{DateTime, Datelike, Utc};

use super::Value;
use crate::schema;

/// Reads a moment from 1970 to 9999.
pub(crate) fn instant(value: Value<'_>) -> Option<DateTime<Utc>> {
    const RULE: &str = "The value must be a date and time with its zone (RFC 3339), from 1970 to 9999, such as \
                        2026-03-01T12:00:00Z; in a query, a plus sign is written %2B.";

    let parse = |text: &str| parse(text).filter(|instant| (1970..=9999).contains(&instant.year()));
    value.parsed(schema::moment, parse, RULE)
}

/// Parses RFC 3339. `chrono` also accepts a space for the `T`, a minus sign beyond ASCII, and leap seconds.
fn parse(text: &str) -> Option<DateTime<Utc>> {
    let (_, time) = text.split_at_checked("YYYY-MM-DD".len())?;
    let is_ascii = text.is_ascii() && time.starts_with(['T', 't']);
    let is_leap_second = time.get(7..9) == Some("60");
    if !is_ascii || is_leap_second {
        return None;
    }
    DateTime::parse_from_rfc3339(text).ok().map(|instant| instant.to_utc())
}
