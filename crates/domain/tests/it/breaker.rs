use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::breaker::Breaker;
use proptest::prelude::*;

use crate::support::noon;

fn after_failures(times: u32, now: DateTime<Utc>) -> Breaker {
    (0..times).fold(Breaker::default(), |it, _| it.begin(now).expect("the breaker is closed").failed(now))
}

fn seconds(n: i64) -> TimeDelta {
    TimeDelta::seconds(n)
}

#[test]
fn five_failures_in_a_row_open_the_breaker() {
    let four = after_failures(4, noon());
    let five = after_failures(5, noon());

    assert!(four.admits(noon()) && !four.is_open());
    assert!(!five.admits(noon()) && five.is_open());
    assert_eq!(five.begin(noon() + seconds(9)), None);
}

#[test]
fn after_the_pause_one_trial_call_is_allowed() {
    let later = noon() + seconds(10);

    let trial = after_failures(5, noon()).begin(later).expect("the pause is over");

    assert_eq!(trial.begin(later), None);
    assert!(trial.is_open());
    assert!(trial.begin(later + Breaker::TRIAL_TIMEOUT).is_some(), "the trial call timed out");
}

#[test]
fn a_failed_trial_doubles_the_pause_up_to_the_maximum() {
    let mut breaker = after_failures(5, noon());
    let mut now = noon();
    let mut pauses = Vec::new();
    for _ in 0..5 {
        let Breaker::Open { until, .. } = breaker else { panic!("{breaker:?}") };
        pauses.push((until - now).num_seconds());
        now = until;
        breaker = breaker.begin(now).expect("the pause is over").failed(now);
    }

    assert_eq!(pauses, [10, 20, 40, 80, 80]);
}

#[test]
fn a_call_that_began_before_the_breaker_opened_changes_nothing() {
    let open = after_failures(5, noon());

    assert_eq!(open.failed(noon() + seconds(5)), open);
}

proptest! {
    /// After any sequence of calls, another call is allowed within the timeout of a trial.
    #[test]
    fn an_open_breaker_allows_a_trial_eventually(steps in prop::collection::vec((0..3_u8, 0..200_i64), 0..60)) {
        let (mut breaker, mut now) = (Breaker::default(), noon());
        for (step, wait) in steps {
            now += seconds(wait);
            breaker = match step {
                0 => breaker.begin(now).unwrap_or(breaker),
                1 => breaker.failed(now),
                _ => Breaker::default(),
            };
            prop_assert!(breaker.admits(now + Breaker::TRIAL_TIMEOUT));
        }
    }
}

#[test]
fn a_pause_that_a_wrong_clock_set_far_ahead_is_ignored() {
    let ahead = after_failures(5, noon() + TimeDelta::hours(25));

    assert!(ahead.admits(noon()));
    assert!(after_failures(5, noon() + seconds(1)).begin(noon()).is_none(), "a pause of ours does");
}
