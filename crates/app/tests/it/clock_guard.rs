//! The guard of the system's clock, between two comparisons.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use app::ClockGuard;
use chrono::{DateTime, TimeDelta, Utc};
use domain::clock::{ClockFault, TimeReference};
use ports::{Clock, MockReferenceClock};
use testkit::sample::noon;

/// Shows noon, plus the time that has passed and the steps that a test has set.
#[derive(Default)]
struct System {
    passed: AtomicI64,
    set: AtomicI64,
}

impl Clock for System {
    fn now(&self) -> DateTime<Utc> {
        noon() + TimeDelta::seconds(self.passed.load(Ordering::Relaxed) + self.set.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Option<TimeDelta> {
        Some(TimeDelta::seconds(self.passed.load(Ordering::Relaxed)))
    }
}

#[tokio::test]
async fn a_clock_that_is_set_between_two_comparisons_is_not_trusted_at_once() {
    let system = Arc::new(System::default());
    let mut reference = MockReferenceClock::new();
    reference.expect_reference().once().returning(|| Ok(TimeReference::Clock(noon())));
    let guard = ClockGuard::new(system.clone(), Arc::new(reference));
    guard.compare().await.unwrap();

    system.passed.fetch_add(3600, Ordering::Relaxed);
    assert_eq!(guard.check(), Ok(()), "time that passes is no step");
    for seconds in [61, 14_400, 90_000] {
        system.set.store(seconds, Ordering::Relaxed);
        assert_eq!(guard.check(), Err(ClockFault::Ahead(TimeDelta::seconds(seconds))));
        system.set.store(-seconds, Ordering::Relaxed);
        assert_eq!(guard.check(), Err(ClockFault::Behind(TimeDelta::seconds(seconds))));
    }
    system.set.store(0, Ordering::Relaxed);
    assert_eq!(guard.check(), Ok(()));
}

#[tokio::test]
async fn a_store_that_does_not_answer_leaves_the_last_comparison_in_force() {
    let system = Arc::new(System::default());
    let mut reference = MockReferenceClock::new();
    reference.expect_reference().once().returning(|| Ok(TimeReference::Clock(noon() - TimeDelta::hours(4))));
    reference.expect_reference().returning(|| Err(ports::Unavailable { what: "the store", source: "gone".into() }));
    let guard = ClockGuard::new(system, Arc::new(reference));

    assert_eq!(guard.check(), Err(ClockFault::NotCompared));
    guard.compare().await.unwrap();
    guard.compare().await.unwrap_err();

    assert_eq!(guard.check(), Err(ClockFault::Ahead(TimeDelta::hours(4))));
}
