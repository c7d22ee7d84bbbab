use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::Unavailable;

/// Tells what waits, of all merchants together: for whoever looks after the service.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Backlog: Send + Sync {
    /// What waits at `now`. However much that is, asking stays cheap: no queue is counted beyond
    /// [`COUNTED`].
    async fn waiting(&self, now: DateTime<Utc>) -> Result<Waiting, Unavailable>;
}

/// A queue that seems to be this long may be longer.
pub const COUNTED: u64 = 1000;

/// Everything that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Payments of which nobody knows whether money moved, since their cards were submitted.
    pub verifying: Queue,
    /// Documents on their way whose payments succeeded, since they did. Of more than a thousand,
    /// the thousand oldest sales are looked at.
    pub unissued: Queue,
    /// Things that are due and that nobody is at, since they fell due.
    pub due: Queue,
    /// Payments that some payers have paid and that nothing will complete, since they stay so. Each is a person's to
    /// decide.
    pub left_in_part: Queue,
    /// Events that endpoints have not taken yet, since they were told.
    pub undelivered: Queue,
    /// Merchants whom no mail could tell that an endpoint of theirs was switched off in the last thirty days, since it was.
    pub untold: Queue,
}

/// Things that wait for the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// How many there are, up to [`COUNTED`].
    pub length: u64,
    /// Since when the oldest waits.
    pub since: Option<DateTime<Utc>>,
}
