use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rest::MonotonicClock;

/// Time of a clock that only the test advances.
#[derive(Clone)]
pub(crate) struct Hand(Arc<Mutex<Instant>>);

impl Hand {
    pub(crate) fn standing() -> (Self, MonotonicClock) {
        let hand = Self(Arc::new(Mutex::new(Instant::now())));
        let shown = hand.clone();
        (hand, MonotonicClock::of(move || *shown.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    pub(crate) fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}
