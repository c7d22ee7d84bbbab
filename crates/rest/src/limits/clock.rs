use std::{sync::Arc, time::Instant};

use governor::clock::Clock;

/// Monotonic clock of the limits: adjustments of the system clock have no effect.
#[derive(Clone)]
pub struct MonotonicClock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl MonotonicClock {
    /// A clock that reads `now`.
    pub fn of(now: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }
}

impl Default for MonotonicClock {
    /// The clock of the system.
    fn default() -> Self {
        Self::of(Instant::now)
    }
}

impl Clock for MonotonicClock {
    type Instant = Instant;

    fn now(&self) -> Instant {
        (self.0)()
    }
}
