use chrono::TimeDelta;
use cobro_domain::stored_card_deletion::next_retry;

use crate::support::noon;

#[test]
fn deletion_pauses_grow_and_retries_end_after_a_month() {
    let mut at = noon();
    let mut pauses = Vec::new();
    while let Some(next) = next_retry(noon(), at) {
        pauses.push((next - at).num_minutes());
        at = next;
    }

    assert_eq!(pauses[..9], [15, 15, 30, 60, 120, 240, 480, 960, 1440]);
    assert!(pauses[9..].iter().all(|it| *it == 1440), "{pauses:?}");
    assert!(at - noon() >= TimeDelta::days(30) && at - noon() < TimeDelta::days(31), "{}", at - noon());
}

#[test]
fn an_unused_card_is_retried_from_the_first_pause() {
    assert_eq!(next_retry(noon() + TimeDelta::minutes(1), noon()), Some(noon() + TimeDelta::minutes(15)));
}
