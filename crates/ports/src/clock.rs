use chrono::{DateTime, Utc};

/// The time, in whole milliseconds. Nothing else may ask the system for it.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> DateTime<Utc>;
}
