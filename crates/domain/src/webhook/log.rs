use chrono::{DateTime, Utc};

use super::{WebhookAttempt, WebhookDelivery};
use crate::{EventId, EventKind, WebhookEndpointId};

/// Delivery of an event to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// The endpoint.
    pub endpoint: WebhookEndpointId,
    /// The event.
    pub event: EventId,
    /// Kind of the event.
    pub kind: EventKind,
    /// Time when the event occurred.
    pub occurred_at: DateTime<Utc>,
    /// The delivery.
    pub delivery: WebhookDelivery,
    /// The last attempt, if there was one.
    pub last: Option<WebhookAttempt>,
}
