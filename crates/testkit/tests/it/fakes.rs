use chrono::TimeDelta;
use ports::{Clock, Ids};
use testkit::{
    memory::{CountingIds, TestClock},
    sample,
};

#[test]
fn the_clock_stands_still_until_it_is_moved() {
    let clock = TestClock::default();

    clock.advance(TimeDelta::minutes(5));

    assert_eq!(clock.now(), sample::noon() + TimeDelta::minutes(5));
    assert_eq!(clock.now(), clock.now());
}

#[test]
fn names_and_secrets_never_repeat() {
    let ids = CountingIds::default();

    let drawn = [ids.generate(), ids.generate(), ids.secret(), ids.secret(), sample::symbols(1)];

    let distinct: std::collections::BTreeSet<_> = drawn.iter().collect();
    assert_eq!(distinct.len(), drawn.len());
    assert_eq!((drawn[0].as_str().len(), drawn[2].as_str().len()), (26, 52));
}
