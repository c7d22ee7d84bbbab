use chrono::{DateTime, Utc};

use crate::read::{Object, instant};

/// First moment of a period, and moment right after the period.
type Period = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

/// Reads the period in which the items were created.
pub(super) fn period(query: &mut Object<'_>) -> Option<Period> {
    let about = "First moment of the period (RFC 3339), earlier than `createdBefore`.";
    let after = query.optional("createdAfter", about, instant);
    let before = query.optional("createdBefore", "Moment right after the period (RFC 3339).", instant);
    match (after?, before?) {
        (Some(after), Some(before)) if after >= before => {
            query.invalid("createdAfter", "The value must be earlier than createdBefore.")
        }
        period => Some(period),
    }
}
