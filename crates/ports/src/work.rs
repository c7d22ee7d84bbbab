use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocumentId, PaymentId, RefundId,
    fiscal::{Addressee, ProblemCode},
};

use crate::{Tenant, Unavailable};

/// Queue of due work. A claim leases each object to one worker.
///
/// Work is derived from state: a waiting object has a due time, and a lease while a worker processes it.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WorkQueue: Send + Sync {
    /// Leases at most `limit` objects that are due at `now` and without a lease, oldest first.
    async fn claim(&self, now: DateTime<Utc>, lease_until: DateTime<Utc>, limit: u16)
    -> Result<Vec<Work>, Unavailable>;

    /// Returns the time when the next object is due, a rendering is due, or a lease ends. The time may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// Whether the store accepts writes now: not a standby, and not a read-only database.
    async fn check_writable(&self) -> Result<(), Unavailable>;

    /// Sets the end of a lease to `until`, as after a failed step.
    async fn postpone(&self, work: &Work, until: DateTime<Utc>) -> Result<(), Unavailable>;

    /// Ends every lease, those of idempotency keys too. Only at the start of the single process of a store: the
    /// holders are dead.
    async fn end_leases(&self) -> Result<(), Unavailable>;

    /// Leases at most `limit` issued documents that are due for rendering at `now` and have no lease. If a lease has
    /// expired and two workers render one document, the commit of the slower is stale.
    async fn due_renders(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, FiscalDocumentId)>, Unavailable>;

    /// Returns the oldest document in the queue of the addressee.
    async fn head_of_queue(&self, tenant: &Tenant, to: &Addressee) -> Result<Option<QueuedDocument>, Unavailable>;

    /// Returns the next of the other documents in the queue.
    async fn next_in_queue(
        &self,
        tenant: &Tenant,
        to: &Addressee,
        than: &FiscalDocumentId,
    ) -> Result<Option<QueuedDocument>, Unavailable>;
}

/// A document in the queue of an unreachable authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedDocument {
    /// Which one.
    pub document: FiscalDocumentId,
    /// Time of its signature, which orders the queue.
    pub since: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// The problem; `None` while the document is being submitted.
    pub problem: Option<ProblemCode>,
}

/// An object that is due.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// A payment with a look-up or an expiry.
    Payment(Tenant, PaymentId),
    /// A document that has a next step.
    Document(Tenant, FiscalDocumentId),
    /// A refund with a due call or look-up.
    Refund(Tenant, RefundId),
}
