use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{EventId, webhook::EndpointUrl};
use zeroize::Zeroizing;

/// Carries events to merchants' endpoints.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends one message, once. No redirect is followed, and nothing of the answer is kept but what
    /// [`WebhookOutcome`] has.
    async fn send(&self, message: WebhookMessage) -> WebhookOutcome;
}

/// An event on its way. It has no `Debug`: whoever has the secrets can forge events.
#[derive(Clone)]
pub struct WebhookMessage {
    /// Where to.
    pub url: EndpointUrl,
    /// Which event it is: the same at every attempt.
    pub event: EventId,
    /// When this attempt is made.
    pub at: DateTime<Utc>,
    /// The event as JSON. What is signed are these bytes.
    pub body: Vec<u8>,
    /// The signing secrets, newest first: while one replaces another, both sign.
    pub secrets: Vec<Zeroizing<Vec<u8>>>,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookOutcome {
    /// The receiver answered.
    Answered {
        /// The HTTP status.
        status: u16,
        /// How long it asks to be left alone.
        retry_after: Option<TimeDelta>,
    },
    /// The name stands for an address that is not a public one. Nothing was sent.
    BlockedAddress,
    /// There was no connection, or it broke.
    Unreachable,
    /// There was no answer in time.
    TimedOut,
}
