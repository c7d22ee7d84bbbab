use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::clock::TimeReference;

use crate::Unavailable;

/// The time, in whole milliseconds. Nothing else may ask the system for it.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> DateTime<Utc>;

    /// Time since some fixed moment, by a clock that is never set: a step of [`now`](Self::now) does not move it. `None`
    /// where there is no such clock.
    fn monotonic(&self) -> Option<TimeDelta> {
        None
    }
}

/// What a store knows of the time, to compare the system's clock with.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ReferenceClock: Send + Sync {
    /// What its clock shows; of a store without one, the newest instant that it holds.
    async fn reference(&self) -> Result<TimeReference, Unavailable>;
}
