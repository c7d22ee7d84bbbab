use domain::{Event, EventKind, RefundId};

/// Alerts an operator about the events of a durable decision: the acquirer returned too much, or a leg in doubt needs a
/// person.
pub(super) fn alert(refund: &RefundId, events: &[Event]) {
    for event in events {
        match event.kind {
            EventKind::RefundOverReturned => {
                tracing::error!(%refund, "the acquirer returned more than the charge: the excess must be recovered by hand");
            }
            EventKind::RefundVerificationEscalated => {
                tracing::error!(%refund, "look-ups do not show whether a refund was executed: an operator must decide");
            }
            EventKind::RefundFoundAtProvider => {
                tracing::warn!(%refund, "money was returned that no refund of ours had returned");
            }
            _ => {}
        }
    }
}
