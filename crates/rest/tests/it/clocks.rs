//! A process with a wrong clock serves reads, changes no data, and claims no work.

use std::sync::Arc;

use app::{ClockGuard, Work, run_due_work, sweep_events, sweep_keys, sweep_tokens};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{PaymentId, clock::TimeReference};
use testkit::memory::TestClock;

use crate::support::{APPROVED_CARD, Request, SALE, World, on_each_store};

/// Time reference of the store, and whether there is a clock.
async fn shown(world: &World) -> (DateTime<Utc>, bool) {
    match world.reference.reference().await.unwrap() {
        TimeReference::Clock(now) => (now, true),
        TimeReference::NewestStored(newest) => (newest.expect("something is stored"), false),
    }
}

/// Sets the system clock with `skew` to the store's time.
async fn skewed(world: &mut World, skew: TimeDelta) -> Arc<TestClock> {
    let (now, _) = shown(world).await;
    let ours = Arc::new(TestClock::at(now + skew));
    world.ports.clock_guard = Arc::new(ClockGuard::new(ours.clone(), world.reference.clone()));
    world.ports.clock_guard.compare().await.unwrap();
    ours
}

/// Returns the skews of clock faults, ahead and behind.
fn steps() -> [TimeDelta; 8] {
    let ahead = [TimeDelta::hours(25), TimeDelta::days(402), TimeDelta::hours(4), TimeDelta::seconds(70)];
    [ahead[0], ahead[1], ahead[2], ahead[3], -ahead[0], -ahead[1], -ahead[2], -ahead[3]]
}

#[actix_web::test]
async fn writes_are_refused_and_reads_are_served_while_the_clock_is_wrong() {
    on_each_store(async |mut world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let read = Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key);
        let before = world.send(&read).await;
        let (_, is_clock) = shown(&world).await;

        for skew in steps().into_iter().filter(|it| is_clock || *it < TimeDelta::zero()) {
            skewed(&mut world, skew).await;
            let replayed = Request::post("/v1/payments", &world.one.key, SALE).keyed("one");
            for request in [&replayed, &submission] {
                let refused = world.send(request).await;
                assert_eq!((refused.status, refused.error().1.as_str()), (500, "internal_error"), "{skew}");
                assert!(!refused.header("retry-after").is_empty(), "{skew}");
            }
            let ready = world.send(&Request::bare("GET", "/readyz")).await;
            assert_eq!(ready.status, 503, "{skew}");
            assert!(ready.text().starts_with("not ready: the system clock is "), "{}", ready.text());
            let metrics = world.send(&Request::bare("GET", "/metrics").from("127.0.0.1")).await;
            assert!(metrics.text().contains("\ncobro_clock_is_right 0\n"), "{}", metrics.text());
            let after = world.send(&read).await;
            assert_eq!((after.status, after.text()), (200, before.text()), "{skew}");
        }
        assert_eq!(world.sale_store.payments(), 1);

        skewed(&mut world, TimeDelta::zero()).await;
        assert_eq!(world.send(&Request::bare("GET", "/readyz")).await.status, 200);
        assert_eq!(world.send(&submission).await.field("/status"), "succeeded");
    })
    .await;
}

#[actix_web::test]
async fn no_work_is_claimed_and_nothing_is_swept_while_the_clock_is_wrong() {
    on_each_store(async |mut world| {
        let created = world.sale(SALE).await;
        let payment = PaymentId::parse(&created.field("/id")).unwrap();
        // By the system clock all rows are due, and would be swept.
        world.clock.advance(TimeDelta::days(402));
        let (_, is_clock) = shown(&world).await;

        for skew in steps().into_iter().filter(|it| is_clock || *it < TimeDelta::zero()) {
            skewed(&mut world, skew).await;
            let done = run_due_work(&world.ports, 20).await.unwrap();
            let swept = sweep_keys(&world.ports, 100).await.unwrap() + sweep_events(&world.ports, 100).await.unwrap();
            assert_eq!((done, swept, sweep_tokens(&world.ports, 100).await.unwrap()), (0, 0, 0), "{skew}");
        }

        skewed(&mut world, TimeDelta::zero()).await;
        let now = world.ports.clock.now();
        let claimed = world.ports.work.claim(now, now, 20).await.unwrap();
        assert_eq!(claimed, [Work::Payment(world.one.tenant.clone(), payment)], "it was there all the time");
        assert!(sweep_keys(&world.ports, 100).await.unwrap() > 0);
    })
    .await;
}

/// A process that has just started has made no comparison.
#[actix_web::test]
async fn a_clock_is_not_trusted_before_it_was_compared() {
    on_each_store(async |mut world| {
        world.sale(SALE).await;
        let ours = Arc::new(TestClock::at(shown(&world).await.0));
        world.ports.clock_guard = Arc::new(ClockGuard::new(ours, world.reference.clone()));

        let refused = world.send(&Request::post("/v1/payments", &world.one.key, SALE).keyed("two")).await;

        assert_eq!(refused.status, 500);
        world.ports.clock_guard.compare().await.unwrap();
        assert_eq!(world.send(&Request::post("/v1/payments", &world.one.key, SALE).keyed("two")).await.status, 201);
    })
    .await;
}
