use std::{sync::Arc, time::Instant};

use governor::clock::Clock;

/// The time that limits go by: it never jumps, whatever is done to the system's clock.
#[derive(Clone)]
pub struct Stopwatch(Arc<dyn Fn() -> Instant + Send + Sync>);

impl Stopwatch {
    /// One that shows what `now` says.
    pub fn of(now: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }
}

impl Default for Stopwatch {
    /// The system's.
    fn default() -> Self {
        Self::of(Instant::now)
    }
}

impl Clock for Stopwatch {
    type Instant = Instant;

    fn now(&self) -> Instant {
        (self.0)()
    }
}
