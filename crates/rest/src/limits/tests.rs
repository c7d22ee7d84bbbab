use std::sync::{Mutex, PoisonError};

use super::*;

/// Limits that know `addresses` guessing addresses and as many keys that made payments.
fn busy(clock: MonotonicClock, count: u8) -> Limits {
    let limits = Limits::standard(clock);
    for n in 0..count {
        let address = Some(IpAddr::from([203, 0, 113, n]));
        let operations = limits.buckets.operations.as_ref().expect("production has them");
        operations.creations.take(&[n; 32]).expect("it is the first");
        limits.buckets.test.take(&[n; 32]).expect("it is the first");
        limits.admit(address, SUBMISSION).expect("it is the first");
        limits.note(address, &Authentication::ApiKeyInvalid.into());
    }
    limits
}

fn remembered(limits: &Limits) -> [usize; 4] {
    let Buckets { test, operations, addresses, .. } = limits.buckets.as_ref();
    let (operations, addresses) = (operations.as_ref().expect("they count"), addresses.as_ref().expect("they count"));
    [test.len(), operations.creations.len(), addresses.submissions.len(), addresses.strikes.len()]
}

#[test]
fn who_has_not_asked_for_long_is_forgotten() {
    let now = Arc::new(Mutex::new(Instant::now()));
    let shown = now.clone();
    let clock = MonotonicClock::of(move || *shown.lock().unwrap_or_else(PoisonError::into_inner));
    let advance = |by| *now.lock().unwrap_or_else(PoisonError::into_inner) += by;
    let limits = busy(clock, 20);
    assert_eq!(remembered(&limits), [20; 4]);

    advance(TRIMMING - Duration::from_millis(1));
    limits.admit(None, "").expect("nobody is counted");
    assert_eq!(remembered(&limits), [20; 4], "it is not yet time to look through them");

    // One asks again just before.
    limits.note(Some(IpAddr::from([203, 0, 113, 7])), &Authentication::ApiKeyInvalid.into());
    limits.buckets.test.take(&[7; 32]).expect("it has everything again");
    advance(Duration::from_millis(1));
    limits.admit(None, "").expect("nobody is counted");

    assert_eq!(remembered(&limits), [1, 0, 0, 0], "the minute of a strike begins with the first");
}

#[test]
fn an_address_of_another_taxpayer_asks_so_often_within_a_minute() {
    let now = Arc::new(Mutex::new(Instant::now()));
    let shown = now.clone();
    let limits = Limits::standard(MonotonicClock::of(move || *shown.lock().unwrap_or_else(PoisonError::into_inner)));
    let (one, other) = (Some(IpAddr::from([203, 0, 113, 1])), Some(IpAddr::from([203, 0, 113, 2])));

    let admitted = (0..=EXCHANGES).filter(|_| limits.admit_exchange(one).is_ok()).count();

    assert_eq!(admitted, EXCHANGES as usize);
    assert!(limits.admit_exchange(other).is_ok(), "somebody else has as much");
    *now.lock().unwrap_or_else(PoisonError::into_inner) += Duration::from_secs(1);
    assert!(limits.admit_exchange(one).is_ok(), "a second later there is room for some");
}

#[test]
fn however_many_other_taxpayers_come_payers_have_their_places() {
    let limits = Limits::standard(MonotonicClock::default());
    let come = |who, n: u8| limits.enter_as(who, Some(IpAddr::from([203, 0, 113, n])));

    let here: Vec<Place> = (0..=255).filter_map(|n| come(Visiting::Taxpayer, n).ok()).collect();

    assert_eq!(here.len(), 64);
    assert!(come(Visiting::Payer, 1).is_ok());
}

#[test]
fn who_is_a_stranger_at_a_door_is_kept_from_no_link() {
    let limits = Limits::standard(MonotonicClock::default());
    let address = Some(IpAddr::from([203, 0, 113, 1]));

    (0..LINKS).for_each(|_| limits.note_failed_interchange(address));

    assert!(limits.admit_exchange(address).is_err());
    assert!(limits.admit_link(address).is_ok());
}

#[test]
fn no_more_addresses_are_remembered_than_there_is_room_for() {
    let (strikes, now) = (Strikes::of("failures", 10), Instant::now());
    let address = |n: u32| IpAddr::V4(n.into());

    for n in 0..200_000 {
        strikes.count(address(n), now);
    }

    assert_eq!(strikes.len(), 100_000);
    for _ in 0..9 {
        strikes.count(address(5), now);
    }
    assert!(strikes.check(address(5), now).is_err(), "who is remembered still counts");
    strikes.trim(now + strikes::MINUTE);
    assert_eq!(strikes.len(), 0);
}
