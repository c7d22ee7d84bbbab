use chrono::{DateTime, TimeDelta, Utc};

use super::{DisabledReason, WebhookEndpoint};

/// One event on its way to one endpoint: each event goes its own way, so that one that is refused
/// keeps no other waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// How many attempts were made.
    pub attempts: u32,
    /// Where it stands.
    pub status: WebhookDeliveryStatus,
}

/// Where a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookDeliveryStatus {
    /// The next attempt is made then.
    Pending(DateTime<Utc>),
    /// The receiver took it.
    Delivered(DateTime<Utc>),
    /// No attempt is left, or the endpoint is gone.
    Failed(DateTime<Utc>),
}

/// What came of an attempt, as far as it matters for the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// An answer.
    Status {
        /// The HTTP status.
        status: u16,
        /// How long the receiver asks to be left alone.
        retry_after: Option<TimeDelta>,
    },
    /// None.
    Nothing,
}

/// Where chance may put the next attempt within the tenth that is left to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(pub u8);

impl WebhookDeliveryStatus {
    /// The published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending(_) => "pending",
            Self::Delivered(_) => "delivered",
            Self::Failed(_) => "failed",
        }
    }

    /// The published words.
    pub const WORDS: [&'static str; 3] = ["pending", "delivered", "failed"];
}

impl WebhookDelivery {
    /// How long after an attempt that failed the next is made. The first is made at once; with nine
    /// more, an event is tried for three days. Source: the example of Standard Webhooks 1.0.0.
    pub const PAUSES: [TimeDelta; 9] = [
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

    /// An event that was just told.
    pub const fn new(now: DateTime<Utc>) -> Self {
        Self { attempts: 0, status: WebhookDeliveryStatus::Pending(now) }
    }

    /// Where it stands after one more attempt.
    #[must_use]
    pub fn after(&self, heard: Heard, chance: Chance, now: DateTime<Utc>) -> Self {
        let attempts = self.attempts.saturating_add(1);
        let status = match (heard, pause(attempts, heard, chance)) {
            (Heard::Status { status: 200..300, .. }, _) => WebhookDeliveryStatus::Delivered(now),
            (Heard::Status { status: GONE, .. }, _) | (_, None) => WebhookDeliveryStatus::Failed(now),
            (_, Some(pause)) => {
                now.checked_add_signed(pause).map_or(WebhookDeliveryStatus::Failed(now), WebhookDeliveryStatus::Pending)
            }
        };
        Self { attempts, status }
    }
}

/// The status by which a receiver says that nothing should be sent any more.
const GONE: u16 = 410;

/// The pause after so many attempts, if there is one. A receiver may ask for a longer one, up to
/// the one after it.
fn pause(attempts: u32, heard: Heard, chance: Chance) -> Option<TimeDelta> {
    let place = usize::try_from(attempts.checked_sub(1)?).ok()?;
    let planned = spread(*WebhookDelivery::PAUSES.get(place)?, chance);
    let longest = WebhookDelivery::PAUSES.get(place + 1).copied().unwrap_or(planned);
    Some(match heard {
        Heard::Status { status: 429 | 503, retry_after: Some(asked) } => asked.min(longest).max(planned),
        _ => planned,
    })
}

/// A tenth more or less, so that what failed together does not come back together.
fn spread(pause: TimeDelta, chance: Chance) -> TimeDelta {
    let milliseconds = pause.num_milliseconds();
    TimeDelta::milliseconds(milliseconds * 9 / 10 + milliseconds / 5 * i64::from(chance.0) / i64::from(u8::MAX))
}

impl WebhookEndpoint {
    /// An endpoint that takes nothing for so long is switched off.
    pub const PATIENCE: TimeDelta = TimeDelta::days(5);

    /// Why the endpoint is switched off after an attempt, if it is; `failing_since` is when it first
    /// refused something after it last took something.
    pub fn switched_off(heard: Heard, failing_since: DateTime<Utc>, now: DateTime<Utc>) -> Option<DisabledReason> {
        match heard {
            Heard::Status { status: 200..300, .. } => None,
            Heard::Status { status: GONE, .. } => Some(DisabledReason::Gone),
            _ if now.signed_duration_since(failing_since) >= Self::PATIENCE => Some(DisabledReason::Failing),
            _ => None,
        }
    }
}
