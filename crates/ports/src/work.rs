use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{FiscalDocumentId, PaymentId};

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

    /// When the next thing falls due, or its lease ends; it may be in the past.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable>;

    /// Lets a lease end at `until`, as after a step that failed: until then nobody is at the thing.
    async fn postpone(&self, work: &Work, until: DateTime<Utc>) -> Result<(), Unavailable>;

    /// Ends every lease at once. Only for a store that a single process uses, when it starts:
    /// whoever held them is dead.
    async fn end_leases(&self) -> Result<(), Unavailable>;
}

/// Something that is due.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// A payment to look up, or whose window closes.
    Payment(Tenant, PaymentId),
    /// A document that has a next step.
    Document(Tenant, FiscalDocumentId),
}
