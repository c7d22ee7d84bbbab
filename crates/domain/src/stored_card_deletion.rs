//! How long a provider is asked to let go of a card that is of no use any more.

use chrono::{DateTime, TimeDelta, Utc};

/// The pause after the first try.
const SHORTEST: TimeDelta = TimeDelta::minutes(15);
/// No pause is longer.
const LONGEST: TimeDelta = TimeDelta::days(1);
/// After so long it is a person's to do.
const LIFE: TimeDelta = TimeDelta::days(30);

/// When a provider that has not let go of a card is asked again, which is of no use since `useless_since`; `None` if nobody
/// asks any more. Each pause is as long as all that went before.
pub fn asked_again(useless_since: DateTime<Utc>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let waited = now.signed_duration_since(useless_since);
    let next = now.checked_add_signed(waited.clamp(SHORTEST, LONGEST));
    next.filter(|_| waited < LIFE)
}
