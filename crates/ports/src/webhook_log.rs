use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    webhook::{WebhookAttempt, WebhookDelivery},
};

use crate::{Page, ReplayedRange, Tenant, Unavailable};

/// Knows what was sent to endpoints, and what came of it.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookLog: Send + Sync {
    /// What was sent to the endpoint, or is to be, newest event first; only what stands so, if `status`
    /// says how.
    async fn deliveries(
        &self,
        tenant: &Tenant,
        endpoint: &WebhookEndpointId,
        status: Option<&'static str>,
        page: &Page,
    ) -> Result<Vec<LoggedDelivery>, Unavailable>;

    /// When each of the events was told that a replay of `range` is of, the first `limit` of them in
    /// order.
    async fn replayable(
        &self,
        tenant: &Tenant,
        endpoint: &WebhookEndpointId,
        range: &ReplayedRange,
        limit: u16,
    ) -> Result<Vec<DateTime<Utc>>, Unavailable>;
}

/// An event on its way to an endpoint, or at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// Where to.
    pub endpoint: WebhookEndpointId,
    /// Which event.
    pub event: EventId,
    /// Of which kind.
    pub kind: EventKind,
    /// When it was told.
    pub occurred_at: DateTime<Utc>,
    /// Where it stands.
    pub delivery: WebhookDelivery,
    /// The last attempt, if there was one.
    pub last: Option<WebhookAttempt>,
}
