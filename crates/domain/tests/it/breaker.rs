use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::breaker::Breaker;
use proptest::prelude::*;

use crate::support::noon;

fn missed(times: u32, now: DateTime<Utc>) -> Breaker {
    (0..times).fold(Breaker::default(), |it, _| it.begin(now).expect("it is closed").missed(now))
}

fn seconds(n: i64) -> TimeDelta {
    TimeDelta::seconds(n)
}

#[test]
fn five_in_a_row_that_reached_nobody_open_it_and_four_do_not() {
    let four = missed(4, noon());
    let five = missed(5, noon());

    assert!(four.admits(noon()) && !four.is_open());
    assert!(!five.admits(noon()) && five.is_open());
    assert_eq!(five.begin(noon() + seconds(9)), None);
}

#[test]
fn one_that_reached_the_provider_begins_the_count_anew() {
    let again = missed(4, noon()).reached();

    let four = (0..4).fold(again, |it, _| it.missed(noon()));

    assert!(!four.is_open());
}

#[test]
fn after_its_time_one_tries_and_the_others_wait() {
    let later = noon() + Breaker::FIRST_PAUSE;

    let trying = missed(5, noon()).begin(later).expect("its time is over");

    assert_eq!(trying.begin(later), None);
    assert!(trying.is_open());
    assert_eq!(trying.reached(), Breaker::Healthy);
    assert!(trying.begin(later + Breaker::TRY).is_some(), "who tried is gone");
}

#[test]
fn a_try_that_fails_opens_it_for_twice_as_long_up_to_a_limit() {
    let mut breaker = missed(5, noon());
    let mut now = noon();
    let mut pauses = Vec::new();
    for _ in 0..5 {
        let Breaker::Open { until, .. } = breaker else { panic!("{breaker:?}") };
        pauses.push((until - now).num_seconds());
        now = until;
        breaker = breaker.begin(now).expect("its time is over").missed(now);
    }

    assert_eq!(pauses, [10, 20, 40, 80, 80]);
}

#[test]
fn what_began_before_it_opened_does_not_keep_it_open_and_may_close_it() {
    let open = missed(5, noon());

    assert_eq!(open.missed(noon() + seconds(5)), open);
    assert_eq!(open.reached(), Breaker::Healthy);
}

proptest! {
    /// Whatever happens in whichever order, somebody may ask again before long.
    #[test]
    fn it_is_never_shut_for_good(steps in prop::collection::vec((0..3_u8, 0..200_i64), 0..60)) {
        let (mut breaker, mut now) = (Breaker::default(), noon());
        for (step, wait) in steps {
            now += seconds(wait);
            breaker = match step {
                0 => breaker.begin(now).unwrap_or(breaker),
                1 => breaker.missed(now),
                _ => breaker.reached(),
            };
            prop_assert!(breaker.admits(now + Breaker::TRY));
        }
    }
}

#[test]
fn a_pause_that_a_wrong_clock_set_far_ahead_is_ignored() {
    let ahead = missed(5, noon() + TimeDelta::hours(25));

    assert!(ahead.admits(noon()));
    assert!(missed(5, noon() + seconds(1)).begin(noon()).is_none(), "a pause of ours does");
}
