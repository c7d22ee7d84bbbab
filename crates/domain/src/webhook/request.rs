use chrono::{DateTime, Utc};

use super::{EndpointUrl, EventSelection};
use crate::{EventId, text::BoundedText};

/// Request for a webhook endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateEndpoint {
    /// Address that receives the events.
    pub url: EndpointUrl,
    /// Events that the endpoint receives.
    pub enabled_events: EventSelection,
    /// The merchant's own note.
    pub description: Option<BoundedText<1, 256>>,
}

/// Changes of an endpoint; `None` leaves a field unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateEndpoint {
    /// Address that receives the events.
    pub url: Option<EndpointUrl>,
    /// Events that the endpoint receives.
    pub enabled_events: Option<EventSelection>,
    /// The merchant's own note.
    pub description: Option<BoundedText<1, 256>>,
    /// Whether events are sent.
    pub is_enabled: Option<bool>,
}

/// Request to replay events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayWebhooks {
    /// One event.
    Event(EventId),
    /// The events of a period.
    Period {
        /// From this moment on.
        since: DateTime<Utc>,
        /// Before this moment; by default, now.
        until: Option<DateTime<Utc>>,
        /// Of these kinds; by default, the kinds that the endpoint selects.
        kinds: Option<EventSelection>,
        /// Only failed deliveries.
        is_only_failed: bool,
    },
}
