use chrono::{DateTime, TimeDelta, Utc};

/// Attempt to deliver an event, as shown to the merchant. The body of the response is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookAttempt {
    /// Time of the request.
    pub at: DateTime<Utc>,
    /// The result.
    pub result: WebhookResult,
    /// Time until the result.
    pub took: TimeDelta,
}

/// Result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookResult {
    /// HTTP status of the response.
    Status(u16),
    /// The host name resolved to an address that is not public. No request was sent.
    BlockedAddress,
    /// There was no connection, or the connection broke.
    Unreachable,
    /// The response timed out.
    TimedOut,
}

impl WebhookResult {
    /// Returns the published spelling of a failure without a status.
    pub const fn failure(self) -> Option<&'static str> {
        match self {
            Self::Status(_) => None,
            Self::BlockedAddress => Some("blocked_address"),
            Self::Unreachable => Some("unreachable"),
            Self::TimedOut => Some("timed_out"),
        }
    }

    /// Returns the failure that is published as `text`.
    pub fn from_failure(text: &str) -> Option<Self> {
        [Self::BlockedAddress, Self::Unreachable, Self::TimedOut].into_iter().find(|it| it.failure() == Some(text))
    }
}
