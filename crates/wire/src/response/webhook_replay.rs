use chrono::{DateTime, Utc};
use domain::{EventId, WebhookEndpointId};
use serde::Serialize;

use super::Timestamp;

/// Events that set out for an endpoint again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookReplayResponse<'a> {
    object: &'static str,
    webhook_endpoint_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
    delivery_count: usize,
    is_complete: bool,
}

impl<'a> WebhookReplayResponse<'a> {
    /// The replay of one event.
    pub fn of_event(endpoint: &'a WebhookEndpointId, event: &'a EventId) -> Self {
        Self { event_id: Some(event.as_str()), ..Self::new(endpoint, 1, true) }
    }

    /// The replay of so many events that were told in a period. If that is not all, the rest is asked
    /// for from where it ends.
    pub fn of_period(
        endpoint: &'a WebhookEndpointId,
        (since, until): (DateTime<Utc>, DateTime<Utc>),
        many: usize,
        is_complete: bool,
    ) -> Self {
        Self { since: Some(since.into()), until: Some(until.into()), ..Self::new(endpoint, many, is_complete) }
    }

    fn new(endpoint: &'a WebhookEndpointId, delivery_count: usize, is_complete: bool) -> Self {
        let webhook_endpoint_id = endpoint.as_str();
        let (object, event_id, since, until) = ("webhook_replay", None, None, None);
        Self { object, webhook_endpoint_id, event_id, since, until, delivery_count, is_complete }
    }
}
