use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{WebhookEndpointId, webhook::LoggedDelivery};

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
