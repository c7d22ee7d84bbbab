use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use ports::Clock;

use crate::sample;

/// A clock that moves only when a test moves its time.
#[derive(Debug)]
pub struct TestClock(Mutex<DateTime<Utc>>);

impl TestClock {
    /// A clock that shows `now`.
    pub const fn at(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(now))
    }

    /// Moves the clock forward, or back if `by` is negative.
    pub fn advance(&self, by: TimeDelta) {
        let mut now = self.0.lock();
        *now = now.checked_add_signed(by).expect("tests stay within the calendar");
    }

    /// Moves the clock to `now`.
    pub fn set(&self, now: DateTime<Utc>) {
        *self.0.lock() = now;
    }
}

impl Default for TestClock {
    /// Starts at [noon](sample::noon).
    fn default() -> Self {
        Self::at(sample::noon())
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock()
    }
}
