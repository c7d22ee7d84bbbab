//! Metrics, and access to them.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use app::Ports;
use chrono::{DateTime, TimeDelta, Utc};
use domain::account::Provider;
use ports::{MockAccountProvider, MockBacklog, MockTaxpayerDirectory, Queue, Unavailable, Waiting};
use rest::{ConnectionUse, ExternalCall, Limits, Metrics, MonotonicClock};

use crate::support::{APPROVED_CARD, LOST_CARD, ManualClock, Request, SALE, World, on_each_store, on_one_store};

const SERIES: &str = "cobro_http_requests_total";

async fn scrape(world: &World) -> String {
    let response = world.send(&Request::bare("GET", "/metrics").from("127.0.0.1")).await;
    assert_eq!((response.status, response.header("content-type")), (200, "text/plain; version=0.0.4; charset=utf-8"));
    response.text().to_owned()
}

#[track_caller]
fn assert_says(text: &str, line: &str) {
    assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
}

#[actix_web::test]
async fn each_operation_is_counted_by_its_template() {
    on_one_store(async |mut world: World| {
        let created = world.sale(SALE).await;
        world.metrics = Metrics::new(MonotonicClock::default()).unwrap();
        let key = world.one.key.clone();
        let path = format!("/v1/payments/{}", created.field("/id"));

        for _ in 0..2 {
            world.send(&Request::get(&path, &key)).await;
        }
        world.send(&Request::get("/v1/payments/secret?secret", &key)).await;
        world.send(&Request::get("/v1/secret", &key)).await;
        world.send(&Request::bare("SECRET", "/v1/payments")).await;

        let text = scrape(&world).await;
        let route = "/v1/payments/{paymentId}";
        assert_says(&text, &format!(r#"{SERIES}{{method="GET",route="{route}",status="2xx"}} 2"#));
        assert_says(&text, &format!(r#"{SERIES}{{method="GET",route="{route}",status="4xx"}} 1"#));
        assert_says(&text, &format!(r#"{SERIES}{{method="GET",route="none",status="4xx"}} 1"#));
        assert_says(&text, &format!(r#"{SERIES}{{method="other",route="/v1/payments",status="4xx"}} 1"#));
        let duration = "cobro_http_request_duration_seconds";
        assert_says(&text, &format!(r#"{duration}_bucket{{method="GET",route="{route}",le="+Inf"}} 3"#));
        assert_says(&text, "cobro_http_requests_in_flight 1");
        for secret in ["secret", "SECRET", &created.field("/id"), &key, world.one.tenant.merchant.as_str()] {
            assert!(!text.contains(secret), "{text}");
        }
    })
    .await;
}

#[actix_web::test]
async fn a_refusal_is_counted_by_its_limit() {
    on_one_store(async |mut world: World| {
        world.limits = Limits::sandbox_with(std::num::NonZeroU32::MIN, ManualClock::stopped().1);
        let known = Request::get("/v1/payments", &world.one.key);
        for _ in 0..3 {
            world.send(&known).await;
        }
        for _ in 0..12 {
            world.send(&Request::get("/v1/payments", "gk_test_guessed").from("203.0.113.9")).await;
        }

        let text = scrape(&world).await;

        assert_says(&text, r#"cobro_rate_limit_refusals_total{limit="key"} 1"#);
        assert_says(&text, r#"cobro_rate_limit_refusals_total{limit="failures"} 2"#);
    })
    .await;
}

#[actix_web::test]
async fn clock_skew_of_a_provider_is_shown_after_its_first_response() {
    on_one_store(async |mut world: World| {
        let mut skews = [None, Some(TimeDelta::milliseconds(-61_500))].into_iter();
        let mut azul = MockAccountProvider::new();
        azul.expect_unknown_codes().return_const(2_u64);
        azul.expect_clock_skew().returning(move || skews.next().flatten());
        world.ports.accounts.insert(Provider::Azul, Arc::new(azul));

        let (silent, off) = (scrape(&world).await, scrape(&world).await);

        assert!(!silent.contains("cobro_provider_clock_skew_seconds{"), "{silent}");
        assert_says(&off, r#"cobro_provider_clock_skew_seconds{provider="azul"} -61.5"#);
        assert_says(&off, "cobro_provider_unknown_codes_total 2");
    })
    .await;
}

#[actix_web::test]
async fn queues_are_shown_with_their_age() {
    on_each_store(async |world: World| {
        let lost = world.submission(&world.sale(SALE).await, LOST_CARD).await;
        assert_eq!(world.send(&lost).await.field("/status"), "verifying");
        world.clock.advance(TimeDelta::seconds(50));
        let paid = world.submission(&world.sale(SALE).await, APPROVED_CARD).await;
        assert_eq!(world.send(&paid).await.field("/status"), "succeeded");
        world.clock.advance(TimeDelta::seconds(10));

        let text = scrape(&world).await;

        for line in [
            "cobro_backlog_up 1",
            "cobro_payments_verifying 1",
            "cobro_payments_verifying_oldest_age_seconds 60",
            "cobro_documents_unissued 1",
            "cobro_documents_unissued_oldest_age_seconds 10",
            "cobro_work_due 2",
        ] {
            assert_says(&text, line);
        }
    })
    .await;
}

#[actix_web::test]
async fn frequent_scrapes_query_the_store_every_few_seconds() {
    on_one_store(async |mut world: World| {
        let (manual_clock, stopwatch) = ManualClock::stopped();
        world.metrics = Metrics::new(stopwatch).unwrap();
        let mut backlog = MockBacklog::new();
        let verifying = Queue { length: 7, since: None };
        let left_in_part = Queue { length: 3, since: None };
        let undelivered = Queue { length: 5, since: None };
        let not_notified = Queue { length: 2, since: None };
        backlog.expect_waiting().once().returning(move |_| {
            let queue = |length| Queue { length, since: None };
            let (refunds_in_doubt, notes_owed, returns_unattributed) = (queue(4), queue(6), queue(8));
            let waiting = Waiting { verifying, left_in_part, undelivered, not_notified, ..Waiting::default() };
            Ok(Waiting { refunds_in_doubt, notes_owed, returns_unattributed, ..waiting })
        });
        let broken = || Err(Unavailable { what: "the database", source: "refused".into() });
        backlog.expect_waiting().once().returning(move |_| broken());
        world.ports = Ports { backlog: Arc::new(backlog), ..world.ports };

        for _ in 0..3 {
            let text = scrape(&world).await;
            assert_says(&text, "cobro_payments_verifying 7");
            assert_says(&text, "cobro_payments_left_in_part 3");
            assert_says(&text, "cobro_events_undelivered 5");
            assert_says(&text, "cobro_switch_offs_untold 2");
            assert_says(&text, "cobro_refunds_in_doubt 4");
            assert_says(&text, "cobro_credit_notes_owed 6");
            assert_says(&text, "cobro_returns_unattributed 8");
            assert_says(&text, "cobro_returns_unmatched_total 0");
            assert_says(&text, "cobro_refunds_over_returned_total 0");
            manual_clock.advance(Duration::from_secs(1));
        }
        manual_clock.advance(Duration::from_secs(2));

        let text = scrape(&world).await;
        assert_says(&text, "cobro_backlog_up 0");
        assert_says(&text, "cobro_payments_verifying NaN");
    })
    .await;
}

#[actix_web::test]
async fn the_age_of_the_register_is_shown() {
    on_one_store(async |mut world: World| {
        let directory = register_of(world.ports.clock.now() - TimeDelta::days(8));
        let without = scrape(&world).await;
        world.metrics = Metrics::new(ManualClock::stopped().1).unwrap();
        world.ports = Ports { directory: Arc::new(directory), ..world.ports };

        assert!(!without.contains("\ncobro_register_age_seconds"), "{without}");
        assert_says(&scrape(&world).await, "cobro_register_age_seconds 691200");
    })
    .await;
}

#[actix_web::test]
async fn metrics_are_hidden_from_public_addresses() {
    on_one_store(async |world: World| {
        let expected = (404, "endpoint_not_found".to_owned(), None);
        let request = || Request::bare("GET", "/metrics");

        for near in ["127.0.0.1", "10.1.2.3", "192.168.0.9", "::1", "fd00::7"] {
            assert_eq!(world.send(&request().from(near)).await.status, 200, "{near}");
            let passed_on = request().from(near).and("x-forwarded-for", "10.1.2.3");
            assert_eq!(world.send(&passed_on).await.error(), expected, "a client behind {near}");
        }
        for far in ["203.0.113.9", "2001:db8::1"] {
            assert_eq!(world.send(&request().from(far)).await.error(), expected, "{far}");
        }
        assert_eq!(world.send(&request()).await.error(), expected, "the address of the client is unknown");
    })
    .await;
}

/// Returns a directory with a copy of the register of `as_of`.
fn register_of(as_of: DateTime<Utc>) -> MockTaxpayerDirectory {
    let mut directory = MockTaxpayerDirectory::new();
    directory.expect_as_of().returning(move || Ok(Some(as_of)));
    directory
}

/// Returns the metric names of a scrape, without the suffixes of histograms.
fn names(text: &str) -> BTreeSet<String> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[actix_web::test]
async fn metrics_and_their_documentation_agree() {
    on_one_store(async |mut world: World| {
        let mut azul = MockAccountProvider::new();
        azul.expect_unknown_codes().return_const(0_u64);
        azul.expect_clock_skew().return_const(Some(TimeDelta::zero()));
        world.ports.accounts.insert(Provider::Azul, Arc::new(azul));
        world.limits = Limits::sandbox_with(std::num::NonZeroU32::MIN, ManualClock::stopped().1);
        let known = Request::get("/v1/payments", &world.one.key);
        for _ in 0..3 {
            world.send(&known).await;
        }
        world.metrics.payment("succeeded");
        world.metrics.refund("succeeded", "void");
        for provider in [Some("azul"), None] {
            let duration = Duration::from_secs(1);
            world.metrics.record_call(ExternalCall { provider, operation: "charge", outcome: "approved", duration });
        }
        world.metrics.watch_pool(|| ConnectionUse { in_use: 3, idle: 2, waiting: 1 });
        let now = testkit::sample::noon();
        world.ports.directory = Arc::new(register_of(now));
        let mut reference = ports::MockReferenceClock::new();
        reference.expect_reference().returning(move || Ok(domain::clock::TimeReference::Clock(now)));
        world.ports.clock_guard = Arc::new(app::ClockGuard::new(world.clock.clone(), Arc::new(reference)));
        world.ports.clock_guard.compare().await.unwrap();

        let text = scrape(&world).await;

        assert_says(&text, "cobro_database_connections_in_use 3");
        assert_says(&text, r#"cobro_payments_total{outcome="succeeded"} 1"#);
        let page = include_str!("../../../../docs/OPERATING.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `cobro_")?.split_once('`'));
        let documented: BTreeSet<String> = rows.map(|(name, _)| format!("cobro_{name}")).collect();
        assert_eq!(documented, names(&text));
    })
    .await;
}
