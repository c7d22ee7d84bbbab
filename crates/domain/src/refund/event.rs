//! Events of refunds.

use super::RefundStatus;
use crate::{Event, EventKind};

/// Returns the event of a refund that has entered `status`; `None` if the refund had that status before, and for a status
/// without an event.
pub(super) fn entering(previous: Option<RefundStatus>, status: RefundStatus) -> Option<Event> {
    let kind = match status {
        RefundStatus::Verifying => EventKind::RefundVerifying,
        RefundStatus::Succeeded => EventKind::RefundSucceeded,
        RefundStatus::PartiallySucceeded => EventKind::RefundPartiallySucceeded,
        RefundStatus::Failed => EventKind::RefundFailed,
        RefundStatus::Processing | RefundStatus::Unattributed => return None,
    };
    let previous_status = previous.map(RefundStatus::as_str);
    (previous != Some(status)).then(|| Event { previous_status, ..Event::new(kind) })
}
