use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{EventId, webhook::EndpointUrl};
use zeroize::Zeroizing;

/// Carries events to merchants' endpoints.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends one message once. Redirects are not followed, and only the parts of the response in [`WebhookOutcome`]
    /// are returned.
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome;
}

/// A request to an endpoint. Without `Debug`: the secrets can forge events.
#[derive(Clone)]
pub struct WebhookMessage {
    /// Where to.
    pub url: EndpointUrl,
    /// The event; the same at every attempt.
    pub event: EventId,
    /// When this attempt is made.
    pub at: DateTime<Utc>,
    /// The event as JSON; these bytes are signed.
    pub body: Vec<u8>,
    /// The signing secrets, newest first: while one replaces another, both sign.
    pub secrets: Vec<Zeroizing<Vec<u8>>>,
}

/// Outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookOutcome {
    /// The receiver responded.
    Answered {
        /// The HTTP status.
        status: u16,
        /// The pause of `Retry-After`.
        retry_after: Option<TimeDelta>,
    },
    /// The host name resolved to an address that is not public. No request was sent.
    BlockedAddress,
    /// There was no connection, or the connection broke.
    Unreachable,
    /// There was no response in time.
    TimedOut,
}
