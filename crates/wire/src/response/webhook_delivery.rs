use domain::{
    EventId, EventKind, WebhookEndpointId,
    webhook::{LoggedDelivery, WebhookAttempt, WebhookDeliveryStatus, WebhookResult},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Id, OpenCode, Timestamp, WebhookDeliveryObject};

/// Delivery of one event to one endpoint. Of the receiver's response, only the status is stored.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookDelivery")]
pub struct WebhookDeliveryResponse<'a> {
    /// Type of the object.
    object: WebhookDeliveryObject,
    /// Endpoint that receives the event.
    webhook_endpoint_id: Id<'a, WebhookEndpointId>,
    /// Event that is delivered.
    event_id: Id<'a, EventId>,
    /// Type of the event. More types may be added: ignore unknown ones.
    event_type: OpenCode<EventKind>,
    /// When the event happened.
    event_created_at: Timestamp,
    /// Status of the delivery.
    #[schemars(extend("enum" = WebhookDeliveryStatus::WORDS))]
    status: &'static str,
    /// Number of attempts since the event was queued or last replayed.
    attempt_count: u32,
    /// When the next attempt is due. `null` unless `status` is `pending`.
    next_attempt_at: Option<Timestamp>,
    /// When the delivery succeeded or failed for good. `null` while `status` is `pending`.
    ended_at: Option<Timestamp>,
    /// Last attempt. `null` before the first.
    last_attempt: Option<LastAttempt>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct LastAttempt {
    /// When the request was sent.
    attempted_at: Timestamp,
    /// HTTP status of the response. `null` if there was none.
    status_code: Option<u16>,
    /// Why there was no response. `null` if there was one. More codes may be added.
    #[schemars(extend("examples" = ["blocked_address", "unreachable", "timed_out"]))]
    failure: Option<&'static str>,
    /// Duration of the attempt in milliseconds.
    #[schemars(range(min = 0))]
    latency_milliseconds: i64,
}

impl<'a> WebhookDeliveryResponse<'a> {
    /// Returns the response for a stored delivery.
    pub fn new(logged: &'a LoggedDelivery) -> Self {
        let (next_attempt_at, ended_at) = match logged.delivery.status {
            WebhookDeliveryStatus::Pending(at) => (Some(at.into()), None),
            WebhookDeliveryStatus::Delivered(at) | WebhookDeliveryStatus::Failed(at) => (None, Some(at.into())),
        };
        Self {
            object: WebhookDeliveryObject,
            webhook_endpoint_id: (&logged.endpoint).into(),
            event_id: (&logged.event).into(),
            event_type: logged.kind.into(),
            event_created_at: logged.occurred_at.into(),
            status: logged.delivery.status.as_str(),
            attempt_count: logged.delivery.attempts,
            next_attempt_at,
            ended_at,
            last_attempt: logged.last.map(LastAttempt::from),
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
