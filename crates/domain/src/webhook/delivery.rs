use chrono::{DateTime, TimeDelta, Utc};

use super::{DisabledReason, WebhookEndpoint, WebhookResult};
use crate::backoff::Backoff;

/// Delivery of one event to one endpoint. Deliveries are independent: a refused event does not delay the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Number of attempts.
    pub attempts: u32,
    /// The status.
    pub status: WebhookDeliveryStatus,
}

/// Status of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookDeliveryStatus {
    /// The next attempt is due at this time.
    Pending(DateTime<Utc>),
    /// The endpoint accepted the event.
    Delivered(DateTime<Utc>),
    /// No attempt is left, or the endpoint is gone.
    Failed(DateTime<Utc>),
}

/// Random number that spreads a pause by 10 percent: 0 is the shortest pause, 255 the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(pub u8);

impl WebhookDeliveryStatus {
    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending(_) => "pending",
            Self::Delivered(_) => "delivered",
            Self::Failed(_) => "failed",
        }
    }

    /// The published spellings.
    pub const WORDS: [&'static str; 3] = ["pending", "delivered", "failed"];
}

/// Status 410: the receiver wants no more events.
const GONE: u16 = 410;

impl WebhookDelivery {
    /// Pauses of [`RETRY_SCHEDULE`](Self::RETRY_SCHEDULE): ten attempts in three days. Source: the example of Standard Webhooks 1.0.0.
    pub const RETRY_PAUSES: [TimeDelta; 9] = [
        TimeDelta::seconds(5),
        TimeDelta::minutes(5),
        TimeDelta::minutes(30),
        TimeDelta::hours(2),
        TimeDelta::hours(5),
        TimeDelta::hours(10),
        TimeDelta::hours(14),
        TimeDelta::hours(20),
        TimeDelta::hours(24),
    ];
    /// Schedule of the retries.
    pub const RETRY_SCHEDULE: Backoff = Backoff::Table(&Self::RETRY_PAUSES);

    /// Returns the delivery of an event that occurs now.
    pub const fn new(now: DateTime<Utc>) -> Self {
        Self { attempts: 0, status: WebhookDeliveryStatus::Pending(now) }
    }

    /// Returns the delivery after one more attempt. `retry_after` is the pause that the receiver requests.
    #[must_use]
    pub fn after(
        &self,
        result: WebhookResult,
        retry_after: Option<TimeDelta>,
        jitter: Jitter,
        now: DateTime<Utc>,
    ) -> Self {
        let attempts = self.attempts.saturating_add(1);
        let next = || pause(attempts, result, retry_after, jitter).and_then(|pause| now.checked_add_signed(pause));
        let status = match result {
            WebhookResult::Status(200..300) => WebhookDeliveryStatus::Delivered(now),
            WebhookResult::Status(GONE) => WebhookDeliveryStatus::Failed(now),
            _ => next().map_or(WebhookDeliveryStatus::Failed(now), WebhookDeliveryStatus::Pending),
        };
        Self { attempts, status }
    }
}

/// Returns the pause after a failed attempt. A receiver may request a longer one, up to the next pause of the schedule.
fn pause(attempts: u32, result: WebhookResult, retry_after: Option<TimeDelta>, jitter: Jitter) -> Option<TimeDelta> {
    let planned = spread(WebhookDelivery::RETRY_SCHEDULE.pause(attempts)?, jitter);
    let longest = WebhookDelivery::RETRY_SCHEDULE.pause(attempts.saturating_add(1)).unwrap_or(planned);
    Some(match (result, retry_after) {
        (WebhookResult::Status(429 | 503), Some(asked)) => asked.min(longest).max(planned),
        _ => planned,
    })
}

/// Adds a jitter of 10 percent, so that deliveries that failed together are not retried together.
fn spread(pause: TimeDelta, jitter: Jitter) -> TimeDelta {
    let milliseconds = pause.num_milliseconds();
    TimeDelta::milliseconds(milliseconds * 9 / 10 + milliseconds / 5 * i64::from(jitter.0) / i64::from(u8::MAX))
}

impl WebhookEndpoint {
    /// An endpoint that accepts no event for this time is disabled.
    pub const FAILURE_LIMIT: TimeDelta = TimeDelta::days(5);

    /// Returns why an endpoint is disabled after an attempt, if at all. `failing_since` is the time of the first failure after
    /// the last accepted event.
    pub fn disable_reason(
        result: WebhookResult,
        failing_since: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Option<DisabledReason> {
        match result {
            WebhookResult::Status(200..300) => None,
            WebhookResult::Status(GONE) => Some(DisabledReason::Gone),
            _ if now.signed_duration_since(failing_since) >= Self::FAILURE_LIMIT => Some(DisabledReason::Failing),
            _ => None,
        }
    }
}
