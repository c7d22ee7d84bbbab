use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    EventId, EventKind, WebhookEndpointId,
    webhook::{WebhookAttempt, WebhookDelivery},
};

use crate::{Page, ReplayedRange, Tenant, Unavailable};

/// Reads the deliveries of events.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookLog: Send + Sync {
    /// Returns the deliveries to an endpoint, newest event first; with `status`, only those with the status.
    async fn deliveries(
        &self,
        tenant: &Tenant,
        endpoint: &WebhookEndpointId,
        status: Option<&'static str>,
        page: &Page,
    ) -> Result<Vec<LoggedDelivery>, Unavailable>;

    /// Returns the times of the first `limit` events of a replay of `range`, in order.
    async fn replayable(
        &self,
        tenant: &Tenant,
        endpoint: &WebhookEndpointId,
        range: &ReplayedRange,
        limit: u16,
    ) -> Result<Vec<DateTime<Utc>>, Unavailable>;
}

/// Delivery of an event to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// Where to.
    pub endpoint: WebhookEndpointId,
    /// Which event.
    pub event: EventId,
    /// Of which kind.
    pub kind: EventKind,
    /// Time when the event occurred.
    pub occurred_at: DateTime<Utc>,
    /// The delivery.
    pub delivery: WebhookDelivery,
    /// The last attempt, if there was one.
    pub last: Option<WebhookAttempt>,
}
