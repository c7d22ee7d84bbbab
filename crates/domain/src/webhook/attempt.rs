use chrono::{DateTime, TimeDelta, Utc};

/// One attempt to deliver an event, as far as its merchant may know. What the receiver said beside
/// its status is nobody's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookAttempt {
    /// When it was made.
    pub at: DateTime<Utc>,
    /// What came of it.
    pub result: WebhookResult,
    /// How long it took.
    pub took: TimeDelta,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookResult {
    /// The receiver answered with this HTTP status.
    Status(u16),
    /// The name stood for an address that is not a public one, and nothing was sent.
    BlockedAddress,
    /// There was no connection, or it broke.
    Unreachable,
    /// There was no answer in time.
    TimedOut,
}

impl WebhookResult {
    /// The published word: what went wrong where there was no status, and `None` where there was one.
    pub const fn failure(self) -> Option<&'static str> {
        match self {
            Self::Status(_) => None,
            Self::BlockedAddress => Some("blocked_address"),
            Self::Unreachable => Some("unreachable"),
            Self::TimedOut => Some("timed_out"),
        }
    }

    /// The failure published as `text`.
    pub fn from_failure(text: &str) -> Option<Self> {
        [Self::BlockedAddress, Self::Unreachable, Self::TimedOut].into_iter().find(|it| it.failure() == Some(text))
    }
}
