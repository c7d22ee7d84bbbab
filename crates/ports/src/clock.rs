use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::clock::TimeReference;

use crate::Unavailable;

/// System clock, in whole milliseconds. Other code must not read the system clock.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> DateTime<Utc>;

    /// Returns the time since a fixed moment, by a monotonic clock: a step of [`now`](Self::now) does not change the
    /// result. `None` without a monotonic clock.
    fn monotonic(&self) -> Option<TimeDelta> {
        None
    }
}

/// A store's time reference, with which the system clock is compared.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ReferenceClock: Send + Sync {
    /// Returns the reading of the store's clock; for a store without a clock, the newest stored instant.
    async fn reference(&self) -> Result<TimeReference, Unavailable>;
}
