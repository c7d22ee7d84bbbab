use chrono::TimeDelta;
use cobro_domain::stored_card_deletion::next_retry;

use crate::support::noon;

#[test]
fn a_provider_is_asked_less_and_less_often_and_after_a_month_no_more() {
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
fn a_card_that_is_of_no_use_only_in_a_moment_is_asked_about_as_others_are() {
    assert_eq!(next_retry(noon() + TimeDelta::minutes(1), noon()), Some(noon() + TimeDelta::minutes(15)));
}
