//! Retries of the deletion of a stored card at its provider.

use chrono::{DateTime, TimeDelta, Utc};

/// Shortest and longest pause.
const PAUSES: (TimeDelta, TimeDelta) = (TimeDelta::minutes(15), TimeDelta::days(1));
/// Retries end after this time: an operator deletes the card.
const HORIZON: TimeDelta = TimeDelta::days(30);

/// Returns the time of the next attempt to delete a card that is unused since `unused_since`; `None` after 30 days.
/// Exponential backoff without a count of attempts: each pause is as long as the time since `unused_since`.
pub fn next_retry(unused_since: DateTime<Utc>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let waited = now.signed_duration_since(unused_since);
    let next = now.checked_add_signed(waited.clamp(PAUSES.0, PAUSES.1));
    next.filter(|_| waited < HORIZON)
}
