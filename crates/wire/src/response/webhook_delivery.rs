use chrono::{DateTime, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    webhook::{WebhookAttempt, WebhookDeliveryStatus, WebhookResult},
};
use serde::Serialize;

use super::Timestamp;

/// One event on its way to one endpoint. Of what the receiver answered, its status is all that is kept.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDeliveryResponse<'a> {
    object: &'static str,
    webhook_endpoint_id: &'a str,
    event_id: &'a str,
    event_type: &'static str,
    event_created_at: Timestamp,
    status: &'static str,
    attempt_count: u32,
    next_attempt_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    last_attempt: Option<LastAttempt>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LastAttempt {
    attempted_at: Timestamp,
    status_code: Option<u16>,
    failure: Option<&'static str>,
    latency_milliseconds: i64,
}

/// What there is to say of a delivery.
pub struct WebhookDeliveryRecord<'a> {
    /// Where to.
    pub endpoint: &'a WebhookEndpointId,
    /// Which event.
    pub event: &'a EventId,
    /// Of which kind.
    pub kind: EventKind,
    /// When it was record.
    pub occurred_at: DateTime<Utc>,
    /// How many attempts were made.
    pub attempts: u32,
    /// Where it stands.
    pub status: WebhookDeliveryStatus,
    /// The last attempt, if there was one.
    pub last: Option<WebhookAttempt>,
}

impl<'a> WebhookDeliveryResponse<'a> {
    /// The delivery as it is shown.
    pub fn new(record: &WebhookDeliveryRecord<'a>) -> Self {
        let (next_attempt_at, ended_at) = match record.status {
            WebhookDeliveryStatus::Pending(at) => (Some(at.into()), None),
            WebhookDeliveryStatus::Delivered(at) | WebhookDeliveryStatus::Failed(at) => (None, Some(at.into())),
        };
        Self {
            object: "webhook_delivery",
            webhook_endpoint_id: record.endpoint.as_str(),
            event_id: record.event.as_str(),
            event_type: record.kind.as_str(),
            event_created_at: record.occurred_at.into(),
            status: record.status.as_str(),
            attempt_count: record.attempts,
            next_attempt_at,
            ended_at,
            last_attempt: record.last.map(LastAttempt::from),
        }
    }
}

impl From<WebhookAttempt> for LastAttempt {
    fn from(WebhookAttempt { at, result, took }: WebhookAttempt) -> Self {
        let status_code = match result {
            WebhookResult::Status(status) => Some(status),
            _ => None,
        };
        let latency_milliseconds = took.num_milliseconds();
        Self { attempted_at: at.into(), status_code, failure: result.failure(), latency_milliseconds }
    }
}
