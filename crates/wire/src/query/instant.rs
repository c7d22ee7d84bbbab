use chrono::{DateTime, Datelike, Utc};

use crate::read::{Object, Value};

/// From when to when, both if they are given: the end is not part of it.
pub(super) struct Period {
    pub(super) after: Option<DateTime<Utc>>,
    pub(super) before: Option<DateTime<Utc>>,
}

/// The period that a query asks for.
pub(super) fn period(object: &mut Object<'_>) -> Option<Period> {
    let after = object.optional("createdAfter", instant);
    let before = object.optional("createdBefore", instant);
    match (after?, before?) {
        (Some(after), Some(before)) if after >= before => {
            object.invalid("createdAfter", "The value must be earlier than createdBefore.")
        }
        (after, before) => Some(Period { after, before }),
    }
}

pub(crate) fn instant(value: Value<'_>) -> Option<DateTime<Utc>> {
    const RULE: &str = "The value must be a date and time with its zone (RFC 3339), from 1970 to 9999, such as \
                        2026-03-01T12:00:00Z; in a query, a plus sign is written %2B.";

    value.parsed(|text| parse(text).filter(|it| (1970..=9999).contains(&it.year())), RULE)
}

/// Reads RFC 3339 to the letter. The library also takes a space for the `T` and a minus sign from beyond ASCII, and it
/// knows leap seconds, which no clock of ours shows.
fn parse(text: &str) -> Option<DateTime<Utc>> {
    let (_, time) = text.split_at_checked("YYYY-MM-DD".len())?;
    let is_ascii = text.is_ascii() && time.starts_with(['T', 't']);
    let is_leap_second = time.get(7..9) == Some("60");
    if !is_ascii || is_leap_second {
        return None;
    }
    DateTime::parse_from_rfc3339(text).ok().map(|it| it.to_utc())
}
