use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::webhook::{
    DisabledReason, Jitter, WebhookDelivery, WebhookDeliveryStatus as Status, WebhookEndpoint, WebhookResult,
};

const MIDDLE: Jitter = Jitter(128);

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_764_331_200, 0).unwrap()
}

/// Result of an attempt, and the `Retry-After` of the response.
type Response = (WebhookResult, Option<TimeDelta>);

const fn status(status: u16) -> Response {
    (WebhookResult::Status(status), None)
}

const fn retry_after(status: u16, seconds: i64) -> Response {
    (WebhookResult::Status(status), Some(TimeDelta::seconds(seconds)))
}

/// Returns the pause after so many attempts and this response.
fn pause(attempts: u32, (result, retry_after): Response, jitter: Jitter) -> TimeDelta {
    let delivery = WebhookDelivery { attempts, status: Status::Pending(noon()) };
    match delivery.after(result, retry_after, jitter, noon()).status {
        Status::Pending(at) => at - noon(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_event_is_attempted_ten_times_within_four_days() {
    let (mut delivery, mut now) = (WebhookDelivery::new(noon()), noon());
    assert_eq!(delivery.status, Status::Pending(noon()));

    while let Status::Pending(at) = delivery.status {
        now = at;
        delivery = delivery.after(WebhookResult::Unreachable, None, MIDDLE, now);
    }

    assert_eq!((delivery.attempts, delivery.status), (10, Status::Failed(now)));
    let hours = (now - noon()).num_minutes() / 60;
    assert_eq!(hours, 75, "5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h");
}

#[test]
fn only_status_2xx_is_delivered() {
    let fresh = WebhookDelivery::new(noon());
    for (code, is_accepted) in [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false)] {
        let after = fresh.after(WebhookResult::Status(code), None, MIDDLE, noon());
        assert_eq!(after.status == Status::Delivered(noon()), is_accepted, "{code}");
    }
    assert_eq!(fresh.after(WebhookResult::Status(410), None, MIDDLE, noon()).status, Status::Failed(noon()));
}

#[test]
fn jitter_moves_an_attempt_by_at_most_10_percent() {
    for (place, planned) in (0..).zip(WebhookDelivery::RETRY_PAUSES) {
        let (first, last) = (pause(place, status(500), Jitter(0)), pause(place, status(500), Jitter(u8::MAX)));
        assert_eq!((first, last), (planned * 9 / 10, planned * 11 / 10));
        assert!(first < pause(place, status(500), MIDDLE) && pause(place, status(500), MIDDLE) < last);
    }
}

#[test]
fn retry_after_lengthens_a_pause_up_to_the_next_one() {
    let planned = pause(1, status(503), MIDDLE);

    assert_eq!(pause(1, retry_after(503, 900), MIDDLE), TimeDelta::minutes(15));
    assert_eq!(pause(1, retry_after(429, 86_400), MIDDLE), TimeDelta::minutes(30));
    assert_eq!(pause(1, retry_after(503, 1), MIDDLE), planned, "never sooner");
    assert_eq!(pause(1, retry_after(500, 900), MIDDLE), planned, "Retry-After counts with 429 and 503 only");
    assert_eq!(
        pause(8, retry_after(503, 1_000_000), MIDDLE),
        pause(8, status(503), MIDDLE),
        "there is no further pause"
    );
}

#[test]
fn an_endpoint_is_disabled_when_gone_or_failing_for_five_days() {
    let days = |n| noon() - TimeDelta::days(n);
    let disable_reason = |(result, _): Response, since| WebhookEndpoint::disable_reason(result, since, noon());

    assert_eq!(disable_reason(status(410), noon()), Some(DisabledReason::Gone));
    assert_eq!(disable_reason(status(500), days(5)), Some(DisabledReason::Failing));
    assert_eq!(disable_reason((WebhookResult::TimedOut, None), days(6)), Some(DisabledReason::Failing));
    assert_eq!(disable_reason(status(500), days(5) + TimeDelta::seconds(1)), None);
    assert_eq!(disable_reason(status(204), days(9)), None);
}
