use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{FiscalDocumentId, fiscal::RequestedDelivery};

use crate::{Tenant, Unavailable};

/// Knows who wants which document by e-mail, and hands out what is due to one sender at a time.
///
/// What is asked for, and what comes of it, is written by [`SaleStore::commit`](crate::SaleStore::commit).
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DeliveryStore: Send + Sync {
    /// The newest [`LIMIT`](RequestedDelivery::LIMIT) deliveries of the document, newest first.
    async fn newest(&self, tenant: &Tenant, document: &FiscalDocumentId)
    -> Result<Vec<RequestedDelivery>, Unavailable>;

    /// One of them.
    async fn find(&self, it: &DeliveryName) -> Result<Option<RequestedDelivery>, Unavailable>;

    /// Leases at most `limit` that are due at `now` and that nobody holds, oldest first.
    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<DeliveryName>, Unavailable>;

    /// When the next falls due, or a lease ends; it may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// Lets a lease end at `until`, as after a step that failed.
    async fn postpone(&self, it: &DeliveryName, until: DateTime<Utc>) -> Result<(), Unavailable>;
}

/// Which delivery is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeliveryName {
    /// Whose it is.
    pub tenant: Tenant,
    /// Of which document.
    pub document: FiscalDocumentId,
    /// Its place among those of the document.
    pub number: u32,
}
