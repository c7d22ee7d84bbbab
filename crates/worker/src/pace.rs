//! Pauses of a worker.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::backoff::Backoff;

/// Maximum delay until work of another process is noticed.
const IDLE: Duration = Duration::from_secs(1);
/// Pause while due work is leased to another worker.
const LEASED_PAUSE: Duration = Duration::from_millis(20);
/// Pauses after failures in a row.
const FAILURES: Backoff = Backoff::Exponential { initial: TimeDelta::milliseconds(250), max: TimeDelta::seconds(30) };
/// Interval of sweeps: an idle session (45 minutes) is deleted within an hour.
pub(crate) const SWEEPS_EVERY: TimeDelta = TimeDelta::minutes(15);

/// Time of the next batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// More was due than one batch holds.
    AtOnce,
    /// The next item is due in this time; a negative time is in the past.
    In(TimeDelta),
    /// No item is queued.
    Idle,
}

/// The pauses of one worker.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    failures: u32,
}

impl Pace {
    /// The pause after a batch.
    pub(crate) fn after_work(&mut self, next: Next) -> Duration {
        self.went_well();
        match next {
            Next::AtOnce => Duration::ZERO,
            Next::In(wait) => wait.to_std().unwrap_or_default().clamp(LEASED_PAUSE, IDLE),
            Next::Idle => IDLE,
        }
    }

    /// Failures are counted from here.
    pub(crate) const fn went_well(&mut self) {
        self.failures = 0;
    }

    /// Returns the pause after a failure, with exponential backoff.
    pub(crate) fn after_failure(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1);
        FAILURES.pause(self.failures).and_then(|it| it.to_std().ok()).unwrap_or(IDLE)
    }
}

/// Time of the last sweep.
#[derive(Debug, Default)]
pub(crate) struct SweepTimes {
    last: Option<DateTime<Utc>>,
}

impl SweepTimes {
    /// Returns whether a sweep is due, and counts a due sweep as done.
    pub(crate) fn is_due(&mut self, now: DateTime<Utc>) -> bool {
        // A sweep time in the future was stored by a clock that has been set back since.
        let is_due = self.last.is_none_or(|last| now.signed_duration_since(last).abs() >= SWEEPS_EVERY);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_waits_for_due_work_for_at_most_a_second() {
        let mut pace = Pace::default();
        let mut check = |next, milliseconds| assert_eq!(pace.after_work(next), Duration::from_millis(milliseconds));

        check(Next::AtOnce, 0);
        check(Next::Idle, 1000);
        check(Next::In(TimeDelta::milliseconds(300)), 300);
        check(Next::In(TimeDelta::days(3)), 1000);
        check(Next::In(TimeDelta::days(-3)), 20);
    }

    #[test]
    fn a_sweep_is_due_four_times_an_hour_and_after_the_clock_was_set_back() {
        let (mut times, noon) = (SweepTimes::default(), DateTime::from_timestamp(1_800_000_000, 0).unwrap());
        let mut check = |after: TimeDelta, is_due| assert_eq!(times.is_due(noon + after), is_due, "{after}");

        check(TimeDelta::days(402), true);
        check(TimeDelta::zero(), true);
        check(TimeDelta::minutes(14), false);
        check(TimeDelta::minutes(15), true);
    }

    #[test]
    fn each_failure_in_a_row_doubles_the_pause_up_to_half_a_minute() {
        let mut pace = Pace::default();

        let pauses: Vec<u128> = (0..40).map(|_| pace.after_failure().as_millis()).collect();

        assert_eq!(pauses[..4], [250, 500, 1000, 2000]);
        assert!(pauses[8..].iter().all(|it| *it == 30_000));
        pace.after_work(Next::Idle);
        assert_eq!(pace.after_failure().as_millis(), 250);
    }
}
