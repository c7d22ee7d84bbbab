use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::Unavailable;

/// Reports the waiting work of all merchants, for operators.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Backlog: Send + Sync {
    /// Returns the waiting work at `now`. The cost is bounded: no queue is counted beyond [`COUNT_LIMIT`].
    async fn waiting(&self, now: DateTime<Utc>) -> Result<Waiting, Unavailable>;
}

/// A queue that seems to be this long may be longer.
pub const COUNT_LIMIT: u64 = 1000;

/// Everything that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Payments in doubt, since their cards were submitted.
    pub verifying: Queue,
    /// Documents in progress whose payments have succeeded, since the success, and credit notes in progress, since their
    /// refunds ended. Only the 1,000 oldest are read.
    pub unissued: Queue,
    /// Due work without a lease, since the due time.
    pub due: Queue,
    /// Split payments that are finally paid in part and not refunded, since that time. The merchant has to decide each.
    pub left_in_part: Queue,
    /// Events that endpoints have not accepted yet, since they occurred.
    pub undelivered: Queue,
    /// Merchants without an e-mail about an endpoint that was disabled in the last 30 days, since that time.
    pub not_notified: Queue,
    /// Refunds in doubt, since they were requested.
    pub refunds_in_doubt: Queue,
    /// Number of those that look-ups do not settle, up to [`COUNT_LIMIT`]: an operator has to ask the provider.
    pub refunds_escalated: u64,
    /// Credit notes without acceptance, since their refunds ended.
    pub notes_owed: Queue,
    /// Returns that were found at a provider and that no merchant has attributed, since they were found.
    pub returns_unattributed: Queue,
}

/// Things that wait for the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// How many there are, up to [`COUNT_LIMIT`].
    pub length: u64,
    /// Since when the oldest waits.
    pub since: Option<DateTime<Utc>>,
}
