use chrono::{DateTime, Utc};
use domain::{EventId, WebhookEndpointId};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Id, Timestamp, WebhookReplayObject};

/// Events that were queued again for an endpoint.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookReplay")]
pub struct WebhookReplayResponse<'a> {
    /// Type of the object.
    object: WebhookReplayObject,
    /// Endpoint that receives the events.
    webhook_endpoint_id: Id<'a, WebhookEndpointId>,
    /// Event that was queued. Absent for a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<Id<'a, EventId>>,
    /// First moment of the period. Absent for one event.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    /// Moment at which this replay ends. Absent for one event.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
    /// Number of events that were queued.
    delivery_count: usize,
    /// Whether the whole period is queued. If not, send another replay with this `until` as `since`.
    is_complete: bool,
}

impl<'a> WebhookReplayResponse<'a> {
    /// Returns the replay of one event.
    pub fn of_event(endpoint: &'a WebhookEndpointId, event: &'a EventId) -> Self {
        Self { event_id: Some(event.into()), ..Self::new(endpoint, 1, true) }
    }

    /// Returns the replay of `count` events of a period.
    pub fn of_period(
        endpoint: &'a WebhookEndpointId,
        (since, until): (DateTime<Utc>, DateTime<Utc>),
        count: usize,
        is_complete: bool,
    ) -> Self {
        Self { since: Some(since.into()), until: Some(until.into()), ..Self::new(endpoint, count, is_complete) }
    }

    fn new(endpoint: &'a WebhookEndpointId, delivery_count: usize, is_complete: bool) -> Self {
        Self {
            object: WebhookReplayObject,
            webhook_endpoint_id: endpoint.into(),
            event_id: None,
            since: None,
            until: None,
            delivery_count,
            is_complete,
        }
    }
}
