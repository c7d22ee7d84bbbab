use chrono::TimeDelta;
use cobro_domain::payment::Verification;

use crate::support::{after, attempt, noon};

fn doubt() -> Verification {
    Verification::begin(attempt(1), noon(), noon())
}

#[test]
fn look_ups_follow_the_schedule_and_never_end() {
    let mut doubt = doubt();
    let mut waits = vec![doubt.next_check_at - noon()];
    for _ in 0..40 {
        doubt = doubt.after_look_up(false, doubt.next_check_at);
        waits.push(doubt.next_check_at - noon());
    }

    let first: Vec<i64> = waits.iter().take(8).map(TimeDelta::num_seconds).collect();
    assert_eq!(first, [15, 60, 180, 600, 1800, 3600, 7200, 10800]);
    assert!(waits.contains(&TimeDelta::hours(24)));
    assert!(waits.contains(&TimeDelta::hours(30)) && waits.contains(&TimeDelta::hours(36)));
}

#[test]
fn not_found_is_proof_after_ten_minutes_and_two_late_look_ups() {
    let mut doubt = doubt();
    for seconds in [15, 60, 180] {
        doubt = doubt.after_look_up(true, after(seconds));
        assert!(!doubt.is_settled(after(seconds)), "after {seconds} s");
    }

    doubt = doubt.after_look_up(true, after(600));

    assert_eq!(doubt.negatives, 2, "the first two were too early to count");
    assert!(doubt.is_settled(after(600)));
}

#[test]
fn ten_minutes_alone_are_no_proof() {
    let asked_once = doubt().after_look_up(true, after(3600));

    assert!(!asked_once.is_settled(after(3600)));
}

#[test]
fn a_person_is_called_after_six_look_ups_or_six_hours() {
    let mut by_count = doubt();
    for second in 1..=5 {
        by_count = by_count.after_look_up(false, after(second));
        assert!(!by_count.is_escalated);
    }

    assert!(by_count.after_look_up(false, after(6)).is_escalated);
    assert!(doubt().after_look_up(false, after(6 * 3600)).is_escalated);
}
