use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{EventId, EventKind, MerchantAccountId, PaymentId, event::EventRecord};

use crate::{Page, Tenant, Unavailable};

/// Remembers what happened. Events are written by [`SaleStore::commit`](crate::SaleStore::commit),
/// in the transaction of the change.
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

    /// Forgets the deliveries of events that were told before `told_before`, whoever's, and then the events: of
    /// each sort so many at most. Says how many there were.
    async fn sweep(&self, told_before: DateTime<Utc>, limit: u16) -> Result<u64, Unavailable>;
}

/// What events are looked for; all of it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// The accounts that the caller may see; all if empty. What is about no account is then not seen.
    pub accounts: Vec<MerchantAccountId>,
    /// Of these kinds; of any if empty.
    pub kinds: Vec<EventKind>,
    /// About this payment.
    pub payment: Option<PaymentId>,
    /// From this moment on.
    pub created_after: Option<DateTime<Utc>>,
    /// Before this moment.
    pub created_before: Option<DateTime<Utc>>,
}
