use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    FiscalDocumentId, PaymentId,
    fiscal::{Addressee, ProblemCode},
};

use crate::{Tenant, Unavailable};

/// Hands out what falls due, to one worker at a time.
///
/// Work is derived from state: a thing that waits for something carries the time at which it is
/// due, and a lease while somebody is at it.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WorkQueue: Send + Sync {
    /// Leases at most `limit` things that are due at `now` and that nobody holds, oldest first.
    async fn claim(&self, now: DateTime<Utc>, lease_until: DateTime<Utc>, limit: u16)
    -> Result<Vec<Work>, Unavailable>;

    /// When the next thing falls due, or is to be drawn again, or its lease ends; it may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// Whether the store accepts writes now: not a standby, and not a read-only database.
    async fn check_writable(&self) -> Result<(), Unavailable>;

    /// Lets a lease end at `until`, as after a step that failed: until then nobody is at the thing.
    async fn postpone(&self, work: &Work, until: DateTime<Utc>) -> Result<(), Unavailable>;

    /// Ends every lease at once, those of idempotency keys too. Only for a store that a single process uses, when it starts:
    /// whoever held them is dead.
    async fn end_leases(&self) -> Result<(), Unavailable>;

    /// Leases at most `limit` issued documents that are to be drawn again at `now` and that nobody holds. Of two who draw one
    /// all the same, as after a lease, the slower is stale.
    async fn due_renders(
        &self,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, FiscalDocumentId)>, Unavailable>;

    /// The oldest document that is kept for that addressee.
    async fn head_of_queue(&self, tenant: &Tenant, to: &Addressee) -> Result<Option<QueuedDocument>, Unavailable>;

    /// Of the others that are kept for it, the one that is to look for its turn first.
    async fn next_in_queue(
        &self,
        tenant: &Tenant,
        to: &Addressee,
        than: &FiscalDocumentId,
    ) -> Result<Option<QueuedDocument>, Unavailable>;
}

/// A document that is kept while the authority cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedDocument {
    /// Which one.
    pub document: FiscalDocumentId,
    /// Since when, which is when it was signed.
    pub since: DateTime<Utc>,
    /// When something was last known of it.
    pub updated_at: DateTime<Utc>,
    /// What is in its way; nothing while it is being sent.
    pub problem: Option<ProblemCode>,
}

/// Something that is due.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// A payment to look up, or whose window closes.
    Payment(Tenant, PaymentId),
    /// A document that has a next step.
    Document(Tenant, FiscalDocumentId),
}
