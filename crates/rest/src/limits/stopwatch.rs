use std::{sync::Arc, time::Instant};

use governor::clock::Clock;

/// The time that limits go by: it never jumps, whatever is done to the system's clock.
#[derive(Clone)]
pub struct MonotonicClock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl MonotonicClock {
    /// One that shows what `now` says.
    pub fn of(now: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }
}

impl Default for MonotonicClock {
    /// The system's.
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
