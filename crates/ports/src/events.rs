use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{EventId, event::EventRecord, listing::EventFilter};

use crate::{Page, Tenant, Unavailable};

/// Stores events. [`SaleStore::commit`](crate::SaleStore::commit) writes them in the transaction of the change.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait EventStore: Send + Sync {
    /// The event of that name.
    async fn find(&self, tenant: &Tenant, id: &EventId) -> Result<Option<EventRecord>, Unavailable>;

    /// Those of the events that there are, in any order.
    async fn find_all(&self, tenant: &Tenant, ids: &[EventId]) -> Result<Vec<EventRecord>, Unavailable>;

    /// The events that `filter` describes, newest first.
    async fn search(&self, tenant: &Tenant, filter: &EventFilter, page: &Page)
    -> Result<Vec<EventRecord>, Unavailable>;

    /// Deletes deliveries of events older than `occurred_before`, and then the events, of any tenant: at most `limit` of
    /// each. Returns their number.
    async fn sweep(&self, occurred_before: DateTime<Utc>, limit: u16) -> Result<u64, Unavailable>;
}
