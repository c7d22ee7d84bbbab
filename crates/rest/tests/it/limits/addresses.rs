//! Limits by address, before authentication.

use std::time::Duration;

use rest::{Limits, MonotonicClock, TrustedProxies};

use super::{assert_too_many, sandbox_timed, sandbox_with};
use crate::support::{APPROVED_CARD, ManualClock, Request, SALE, Served, World, on_one_store};

const STRANGER: &str = "203.0.113.9";

#[actix_web::test]
async fn an_address_with_ten_invalid_credentials_is_blocked_for_a_minute() {
    on_one_store(async |mut world: World| {
        world.limits = sandbox_with(1000);
        let served = Served::start(&world);
        let guess = Request::get("/v1/payments", "gk_test_guessed");

        for _ in 0..10 {
            assert_eq!(served.send(&guess).await.status, 401);
        }

        assert_too_many(&served.send(&guess).await);
        assert_too_many(&served.send(&Request::get("/v1/payments", &world.one.key)).await);
        let expecting = Request::post("/v1/payments", &world.one.key, SALE).and("expect", "100-continue");
        let uninvited = served.send(&expecting).await;
        assert_too_many(&uninvited);
        assert!(uninvited.header("ratelimit").contains(r#""default";r=0;"#), "{uninvited:?}");
        assert_eq!(served.send(&Request::get("/v1/nope", "x")).await.status, 404, "no address comes first");
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn a_blocked_address_is_admitted_after_a_minute() {
    on_one_store(async |mut world: World| {
        let (manual_clock, stopwatch) = ManualClock::stopped();
        world.limits = sandbox_timed(1000, stopwatch);
        let guess = Request::get("/v1/payments", "gk_test_guessed").from(STRANGER);
        let known = Request::get("/v1/payments", &world.one.key).from(STRANGER);
        for _ in 0..9 {
            assert_eq!(world.send(&guess).await.status, 401);
        }
        // The block lasts from the tenth on, and not from the first.
        manual_clock.advance(Duration::from_secs(59));
        assert_eq!(world.send(&guess).await.status, 401);

        let refused = world.send(&known).await;
        assert_too_many(&refused);
        assert_eq!(refused.header("retry-after"), "60");
        manual_clock.advance(Duration::from_millis(59_001));
        let refused = world.send(&known).await;
        assert_too_many(&refused);
        assert_eq!(refused.header("retry-after"), "1");
        manual_clock.advance(Duration::from_millis(999));

        assert_eq!(world.send(&known).await.status, 200);
        assert_eq!(world.send(&guess).await.status, 401);
    })
    .await;
}

/// BAD-159: invalid links are limited like invalid credentials, also for an address that many payers share. A valid
/// link is neither counted nor refused.
#[actix_web::test]
async fn an_address_with_invalid_links_is_limited_and_still_opens_valid_links() {
    on_one_store(async |mut world: World| {
        let created = world.sale(SALE).await;
        let link = created.field("/nextAction/url");
        let link = &link[link.find("/p/").unwrap()..];
        let plain = format!("/p/{}", created.field("/id"));
        let (manual_clock, stopwatch) = ManualClock::stopped();
        world.limits = sandbox_timed(1000, stopwatch);
        let page = |path: &str| Request::bare("GET", path).from(STRANGER);
        // Scanners of mail and previews of messages store no cookie.
        for _ in 0..25 {
            assert_eq!(world.send(&page(link)).await.status, 303);
        }
        for path in [&plain, "/p/payment_00000000000000000000000009", "/p/x/state"] {
            for _ in 0..25 {
                assert_eq!(world.send(&page(path)).await.status, 404, "{path}");
            }
        }

        let guesses = ["/p/x", "/c/x", "/r/x"];
        for path in guesses.iter().cycle().take(20) {
            assert_eq!(world.send(&page(path)).await.status, 404, "{path}");
        }

        for path in guesses {
            let refused = world.send(&page(path)).await;
            assert_eq!((refused.status, refused.header("retry-after")), (429, "60"), "{path}");
            assert!(refused.text().contains("Espere 60\u{a0}segundos."), "{}", refused.text());
        }
        assert_eq!(world.send(&page(link)).await.status, 303);
        assert_eq!(world.send(&page(&plain)).await.status, 404);
        assert_eq!(world.send(&Request::get("/v1/payments", &world.one.key).from(STRANGER)).await.status, 200);
        manual_clock.advance(Duration::from_secs(60));
        assert_eq!(world.send(&page("/p/x")).await.status, 404);
    })
    .await;
}

/// A link that is opened 300 times a second writes 30 sessions a minute, and the page starts one with a button.
#[actix_web::test]
async fn an_address_opens_thirty_sessions_of_a_payment_a_minute() {
    on_one_store(async |mut world: World| {
        let created = world.sale(SALE).await;
        let link = created.field("/nextAction/url");
        let link = &link[link.find("/p/").unwrap()..];
        let (manual_clock, stopwatch) = ManualClock::stopped();
        world.limits = sandbox_timed(1000, stopwatch);
        let open = async |address: &str| world.send(&Request::bare("GET", link).from(address)).await;
        let start = async || world.send(&Request::bare("POST", format!("{link}/session")).from(STRANGER)).await;

        for _ in 0..30 {
            assert_eq!(open(STRANGER).await.status, 303);
        }
        for _ in 0..10 {
            let page = open(STRANGER).await;
            assert_eq!((page.status, page.header("set-cookie")), (200, ""), "{page:?}");
            assert!(page.text().contains(&format!("action=\"{link}/session\"")), "{}", page.text());
        }
        assert_eq!(open("203.0.113.10").await.status, 303, "another address opens as many");
        let started = start().await;
        assert_eq!(started.status, 303);
        let cookie = started.header("set-cookie").split(';').next().unwrap().to_owned();
        let shown = world.send(&Request::bare("GET", started.header("location")).and("cookie", cookie)).await;
        assert!(shown.text().contains("name=\"number\""), "{}", shown.text());
        for _ in 1..30 {
            assert_eq!(start().await.status, 303);
        }
        let refused = start().await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, "2"));
        manual_clock.advance(Duration::from_secs(2));
        let waited = (open(STRANGER).await.status, start().await.status);
        assert_eq!(waited, (200, 303), "fifty sessions are in force, and one gives way to a new request");
    })
    .await;
}

#[actix_web::test]
async fn an_address_submits_at_most_240_cards_a_minute() {
    on_one_store(async |mut world: World| {
        let submission = world.submission(&world.sale(SALE).await, APPROVED_CARD).await;
        let (manual_clock, stopwatch) = ManualClock::stopped();
        world.limits = sandbox_timed(1000, stopwatch);
        // Each is for another unknown payment, so that no limit by payment applies.
        let card = |n: usize, address: &str| {
            let target = format!("/v1/payments/payment_{n:026}/card-submissions");
            Request { target, ..submission.clone() }.from(address)
        };

        for n in 0..240 {
            assert_eq!(world.send(&card(n, STRANGER)).await.status, 404, "{n}");
        }
        let refused = world.send(&card(240, STRANGER)).await;
        assert_too_many(&refused);
        assert_eq!(refused.header("retry-after"), "1");
        assert!(refused.header("ratelimit").contains(r#""default";r=0;t=1"#), "{refused:?}");
        assert_eq!(world.send(&card(241, "203.0.113.10")).await.status, 404);
        assert_eq!(world.send(&Request::get("/v1/payments", &world.one.key).from(STRANGER)).await.status, 200);

        manual_clock.advance(Duration::from_millis(250));
        assert_eq!(world.send(&card(242, STRANGER)).await.status, 404);
        assert_too_many(&world.send(&card(243, STRANGER)).await);
    })
    .await;
}

#[actix_web::test]
async fn ipv6_addresses_are_counted_by_their_64_bit_prefix() {
    on_one_store(async |mut world: World| {
        world.limits = sandbox_with(1000);

        for n in 0..10 {
            let guess = Request::get("/v1/payments", "gk_test_guessed").from(&format!("2001:db8:1:2::{n}"));
            assert_eq!(world.send(&guess).await.status, 401);
        }

        let known = |address| Request::get("/v1/payments", &world.one.key).from(address);
        assert_too_many(&world.send(&known("2001:db8:1:2:3:4:5:6")).await);
        assert_eq!(world.send(&known("2001:db8:1:3::1")).await.status, 200);
    })
    .await;
}

#[actix_web::test]
async fn a_sandbox_has_no_limit_by_address_and_production_none_for_its_proxy() {
    for limits in [Limits::sandbox(), Limits::standard(MonotonicClock::default())] {
        on_one_store(async |mut world: World| {
            world.limits = limits.clone();
            world.proxies = TrustedProxies::unknown();
            let served = Served::start(&world);

            for _ in 0..12 {
                assert_eq!(served.send(&Request::get("/v1/payments", "gk_test_guessed")).await.status, 401);
            }
            served.stop().await;
        })
        .await;
    }
}

#[actix_web::test]
async fn every_api_response_has_rate_limit_headers() {
    on_one_store(async |mut world: World| {
        let (_, stopwatch) = ManualClock::stopped();
        world.limits = Limits::standard(stopwatch);
        let policy = r#""default";q=25;w=1, "address";q=10;w=60"#;
        let check = async |request: Request, status, left: &str| {
            let response = world.send(&request.from(STRANGER)).await;
            let actual = (response.status, response.header("ratelimit-policy"), response.header("ratelimit"));
            assert_eq!(actual, (status, policy, left), "{response:?}");
        };

        let untouched = r#""default";r=25;t=1, "address";r=10;t=60"#;
        check(Request::bare("GET", "/v1/payments"), 401, untouched).await;
        check(Request::bare("GET", "/nope"), 404, untouched).await;
        check(Request::bare("GET", "/v1/nope"), 404, untouched).await;
        check(Request::bare("DELETE", "/v1/payments"), 405, untouched).await;
        let guess = || Request::get("/v1/payments", "gk_test_guessed");
        for left in (0..10).rev() {
            check(guess(), 401, &format!(r#""default";r=25;t=1, "address";r={left};t=60"#)).await;
        }
        check(guess(), 429, r#""default";r=0;t=60, "address";r=0;t=60"#).await;
        for beside in ["/healthz", "/readyz", "/docs", "/openapi.json"] {
            let response = world.send(&Request::bare("GET", beside).from(STRANGER)).await;
            assert_eq!((response.header("ratelimit-policy"), response.header("ratelimit")), ("", ""), "{beside}");
        }
    })
    .await;
}

#[actix_web::test]
async fn without_address_limits_the_headers_show_the_limit_of_a_key() {
    on_one_store(async |world: World| {
        let response = world.send(&Request::bare("GET", "/v1/payments").from(STRANGER)).await;

        assert_eq!(response.header("ratelimit-policy"), r#""default";q=1000;w=1"#);
        assert_eq!(response.header("ratelimit"), r#""default";r=1000;t=1"#);
    })
    .await;
}
