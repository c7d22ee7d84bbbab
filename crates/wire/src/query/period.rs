use chrono::{DateTime, Utc};

use crate::read::{Object, instant};

/// Half-open period, from `after` until right before `before`.
pub(super) struct Period {
    pub(super) after: Option<DateTime<Utc>>,
    pub(super) before: Option<DateTime<Utc>>,
}

/// Reads the period in which the items were created.
pub(super) fn period(query: &mut Object<'_>) -> Option<Period> {
    let about = "First moment of the period (RFC 3339), earlier than `createdBefore`.";
    let after = query.optional("createdAfter", about, instant);
    let before = query.optional("createdBefore", "Moment right after the period (RFC 3339).", instant);
    match (after?, before?) {
        (Some(after), Some(before)) if after >= before => {
            query.invalid("createdAfter", "The value must be earlier than createdBefore.")
        }
        (after, before) => Some(Period { after, before }),
    }
}
