use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rest::MonotonicClock;

/// Controls a clock that only the test advances.
#[derive(Clone)]
pub(crate) struct ManualClock(Arc<Mutex<Instant>>);

impl ManualClock {
    pub(crate) fn stopped() -> (Self, MonotonicClock) {
        let manual = Self(Arc::new(Mutex::new(Instant::now())));
        let shared = manual.clone();
        (manual, MonotonicClock::of(move || *shared.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    pub(crate) fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}
