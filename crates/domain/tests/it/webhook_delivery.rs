use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::webhook::{
    Chance, DisabledReason, Heard, WebhookDelivery, WebhookDeliveryStatus as Status, WebhookEndpoint,
};

const MIDDLE: Chance = Chance(128);

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_764_331_200, 0).unwrap()
}

const fn said(status: u16) -> Heard {
    Heard::Status { status, retry_after: None }
}

const fn asked_for(status: u16, seconds: i64) -> Heard {
    Heard::Status { status, retry_after: Some(TimeDelta::seconds(seconds)) }
}

/// How long the next attempt waits after so many.
fn pause(attempts: u32, heard: Heard, chance: Chance) -> TimeDelta {
    let delivery = WebhookDelivery { attempts, status: Status::Pending(noon()) };
    match delivery.after(heard, chance, noon()).status {
        Status::Pending(at) => at - noon(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_event_is_tried_ten_times_within_four_days() {
    let (mut delivery, mut now) = (WebhookDelivery::new(noon()), noon());
    assert_eq!(delivery.status, Status::Pending(noon()));

    while let Status::Pending(at) = delivery.status {
        now = at;
        delivery = delivery.after(Heard::Nothing, MIDDLE, now);
    }

    assert_eq!((delivery.attempts, delivery.status), (10, Status::Failed(now)));
    let hours = (now - noon()).num_minutes() / 60;
    assert_eq!(hours, 75, "5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h");
}

#[test]
fn only_what_was_taken_is_delivered() {
    let fresh = WebhookDelivery::new(noon());
    for (status, is_taken) in [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false)] {
        let after = fresh.after(said(status), MIDDLE, noon());
        assert_eq!(after.status == Status::Delivered(noon()), is_taken, "{status}");
    }
    assert_eq!(fresh.after(said(410), MIDDLE, noon()).status, Status::Failed(noon()));
}

#[test]
fn chance_moves_an_attempt_by_a_tenth_and_no_more() {
    for (place, planned) in (0..).zip(WebhookDelivery::PAUSES) {
        let (first, last) = (pause(place, said(500), Chance(0)), pause(place, said(500), Chance(u8::MAX)));
        assert_eq!((first, last), (planned * 9 / 10, planned * 11 / 10));
        assert!(first < pause(place, said(500), MIDDLE) && pause(place, said(500), MIDDLE) < last);
    }
}

#[test]
fn a_receiver_may_ask_for_more_time_but_not_beyond_the_next_pause() {
    let planned = pause(1, said(503), MIDDLE);

    assert_eq!(pause(1, asked_for(503, 900), MIDDLE), TimeDelta::minutes(15));
    assert_eq!(pause(1, asked_for(429, 86_400), MIDDLE), TimeDelta::minutes(30));
    assert_eq!(pause(1, asked_for(503, 1), MIDDLE), planned, "never sooner");
    assert_eq!(pause(1, asked_for(500, 900), MIDDLE), planned, "only who is busy is asked when to come back");
    assert_eq!(pause(8, asked_for(503, 1_000_000), MIDDLE), pause(8, said(503), MIDDLE), "there is no further pause");
}

#[test]
fn an_endpoint_is_switched_off_when_it_is_gone_or_has_failed_for_five_days() {
    let days = |n| noon() - TimeDelta::days(n);
    let switched_off = |heard, since| WebhookEndpoint::switched_off(heard, since, noon());

    assert_eq!(switched_off(said(410), noon()), Some(DisabledReason::Gone));
    assert_eq!(switched_off(said(500), days(5)), Some(DisabledReason::Failing));
    assert_eq!(switched_off(Heard::Nothing, days(6)), Some(DisabledReason::Failing));
    assert_eq!(switched_off(said(500), days(5) + TimeDelta::seconds(1)), None);
    assert_eq!(switched_off(said(204), days(9)), None);
}
