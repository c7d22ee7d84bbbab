//! Rate limits.

mod addresses;
mod process;
mod proxies;

use std::{num::NonZeroU32, time::Duration};

use app::sweep_tokens;
use chrono::TimeDelta;
use futures_util::future::join_all;
use rest::{Limits, MonotonicClock};
use tokio::{sync::Semaphore, time::timeout};

use crate::support::{
    APPROVED_CARD, DECLINED_CARD, ManualClock, Request, SALE, Served, TestResponse, World, form, on_each_store,
    on_one_store, token_request, with,
};

const LIMITED: (u16, &str) = (429, "rate_limit_exceeded");

#[track_caller]
fn assert_too_many(response: &TestResponse) {
    let (status, code, param) = response.error();
    assert_eq!(((status, code.as_str()), param), (LIMITED, None));
    let seconds: u64 = response.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
}

/// A sandbox with a stopped clock, so that a slow machine refills no bucket.
fn sandbox_with(n: u32) -> Limits {
    sandbox_timed(n, ManualClock::stopped().1)
}

fn sandbox_timed(n: u32, stopwatch: MonotonicClock) -> Limits {
    Limits::sandbox_with(NonZeroU32::new(n).unwrap(), stopwatch)
}

#[actix_web::test]
async fn a_key_may_burst_to_twice_its_quota_and_the_headers_show_the_rest() {
    on_one_store(async |mut world: World| {
        world.limits = sandbox_with(3);
        let request = Request::get("/v1/payments", &world.one.key);

        let mut responses = Vec::new();
        for _ in 0..9 {
            responses.push(world.send(&request).await);
        }

        let first = &responses[0];
        assert_eq!(first.header("ratelimit-policy"), r#""default";q=3;w=1"#);
        assert_eq!(first.header("ratelimit"), r#""default";r=3;t=1"#);
        let refused = responses.iter().find(|it| it.status == 429).expect("nine concurrent requests exceed the limit");
        assert_too_many(refused);
        assert_eq!(refused.header("ratelimit"), r#""default";r=0;t=1"#);
        assert!(responses.iter().take(6).all(|it| it.status == 200));
        let other = world.send(&Request::get("/v1/payments", &world.other.key)).await;
        assert_eq!(other.status, 200, "each key has its own");
    })
    .await;
}

#[actix_web::test]
async fn a_test_key_has_25_requests_a_second_in_production() {
    on_one_store(async |mut world: World| {
        world.limits = Limits::standard(MonotonicClock::default());

        let response = world.send(&Request::get("/v1/payments", &world.one.key)).await;

        assert_eq!(response.header("ratelimit-policy"), r#""default";q=25;w=1"#);
    })
    .await;
}

#[actix_web::test]
async fn a_live_key_has_100_requests_a_second_in_production() {
    on_one_store(async |mut world: World| {
        let (manual_clock, stopwatch) = ManualClock::stopped();
        world.limits = Limits::standard(stopwatch);
        let request = Request::get("/v1/payments", &world.live().await);

        let first = world.send(&request).await;
        assert_eq!(first.header("ratelimit-policy"), r#""default";q=100;w=1"#);
        for n in 2..=200 {
            assert_ne!(world.send(&request).await.status, 429, "{n}");
        }
        assert_too_many(&world.send(&request).await);

        manual_clock.advance(Duration::from_secs(1));
        for n in 1..=100 {
            assert_ne!(world.send(&request).await.status, 429, "{n} of the next second");
        }
        assert_too_many(&world.send(&request).await);
    })
    .await;
}

#[actix_web::test]
async fn a_key_creates_at_most_fifty_payments_a_second() {
    on_one_store(async |mut world: World| {
        let (manual_clock, stopwatch) = ManualClock::stopped();
        world.limits = sandbox_timed(1000, stopwatch);
        let request = || Request::post("/v1/payments", &world.one.key, "{}");

        for _ in 0..50 {
            assert_eq!(world.send(&request()).await.status, 400);
        }
        let refused = world.send(&request()).await;
        assert_too_many(&refused);
        assert_eq!(refused.header("retry-after"), "1");
        assert_eq!(world.send(&Request::get("/v1/payments", &world.one.key)).await.status, 200);

        manual_clock.advance(Duration::from_secs(1));
        for _ in 0..50 {
            assert_eq!(world.send(&request()).await.status, 400);
        }
        assert_too_many(&world.send(&request()).await);
    })
    .await;
}

#[actix_web::test]
async fn rate_limits_are_checked_before_permissions() {
    on_one_store(async |mut world: World| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        world.limits = sandbox_with(1);
        let denied = Request::get("/v1/payments", &token);

        let codes = [world.send(&denied).await, world.send(&denied).await, world.send(&denied).await];

        assert_eq!(codes.map(|it| it.status), [403, 403, 429]);
    })
    .await;
}

#[actix_web::test]
async fn a_payment_takes_ten_cards_a_minute() {
    on_one_store(async |mut world: World| {
        let (created, other) = (world.sale(SALE).await, world.sale(SALE).await);
        let submission = world.submission(&created, APPROVED_CARD).await;
        let elsewhere = world.submission(&other, DECLINED_CARD).await;
        world.limits = sandbox_with(1000);

        for n in 0..10 {
            let response = world.send(&submission.clone().keyed(format!("card-{n}"))).await;
            assert_ne!(response.status, 429, "{n}");
        }
        let refused = world.send(&submission.clone().keyed("one too many")).await;

        assert_too_many(&refused);
        assert_eq!(world.send(&elsewhere).await.status, 200);
    })
    .await;
}

/// Ten payers behind one address share a bill; some are declined and try another card at once.
#[actix_web::test]
async fn a_part_takes_six_cards_a_minute_while_ten_payers_retry() {
    on_one_store(async |mut world: World| {
        let bill = world.bill(10).await;
        world.limits = sandbox_with(1000);
        let card = |ordinal, number: &str, n: u8| {
            bill.card(ordinal, number).keyed(format!("{ordinal}-{n}")).from("203.0.113.9")
        };

        for n in 0..6 {
            for ordinal in 1..=10 {
                let number = if n == 0 && ordinal <= 3 { DECLINED_CARD } else { APPROVED_CARD };
                let response = world.send(&card(ordinal, number, n)).await;
                assert_ne!(response.status, 429, "{ordinal} {n}");
            }
        }
        let refused = world.send(&card(4, APPROVED_CARD, 6)).await;

        assert_too_many(&refused);
        assert_eq!(refused.header("retry-after"), "10");
        let parts = world.send(&Request::get(bill.at(""), &bill.token)).await;
        assert_eq!(parts.field("/status"), "authorized", "{}", parts.text());
    })
    .await;
}

/// Forty payers of forty bills share the one address of a restaurant.
#[actix_web::test]
async fn forty_payers_of_forty_bills_pay_from_one_address() {
    on_one_store(async |mut world: World| {
        let mut cards = Vec::new();
        for n in 0..40 {
            let created = world.sale(&with(SALE, "saleReference", &format!("\"bill-{n}\""))).await;
            for number in [DECLINED_CARD, APPROVED_CARD] {
                cards.push(world.submission(&created, number).await.from("203.0.113.9"));
            }
        }
        world.limits = sandbox_with(1000);

        for (n, card) in cards.iter().enumerate() {
            assert_eq!(world.send(card).await.status, 200, "{n}");
        }
    })
    .await;
}

/// Posts the form of the payment's page with that card number, as a browser does.
async fn card_form(world: &World, created: &TestResponse, number: &str) -> Request {
    let link = created.field("/nextAction/url");
    let entered = world.send(&Request::bare("GET", &link[link.find("/p/").unwrap()..])).await;
    let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
    let page = world.send(&Request::bare("GET", entered.header("location")).and("cookie", cookie.as_str())).await;
    let hidden = |name: &str| {
        let text = page.text().split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap();
        text.split('"').next().unwrap().to_owned()
    };
    let values = ["key", "attempt", "amount"].map(|name| (name, hidden(name)));
    let fields: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let card = [("number", number), ("expiry", "12/35"), ("code", "123")];
    let target = format!("/p/{}/card", created.field("/id"));
    form(&target, &[&fields[..], &card].concat()).and("cookie", cookie.as_str())
}

/// Sessions of mail scanners are deleted, and a payer keeps the session after sending a form.
#[actix_web::test]
async fn sessions_that_never_acted_are_deleted_within_the_hour() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let link = created.field("/nextAction/url");
        let link = &link[link.find("/p/").unwrap()..];
        for _ in 0..5 {
            assert_eq!(world.send(&Request::bare("GET", link)).await.status, 303);
        }
        let form = card_form(&world, &created, DECLINED_CARD).await;
        assert_eq!(world.send(&form).await.status, 303);
        let sessions = async || {
            let rows = world.home.table_reader().await.rows().await;
            rows.iter().filter(|it| it.starts_with("checkout_tokens:")).count()
        };

        let before = sessions().await;
        world.clock.advance(TimeDelta::minutes(45) + TimeDelta::seconds(1));
        let swept = sweep_tokens(&world.ports, 100).await.unwrap();

        assert_eq!((before, swept, sessions().await), (6, 5, 1));
        let cookie = form.headers.iter().find(|it| it.0 == "cookie").unwrap().1.clone();
        let page = Request::bare("GET", format!("/p/{}", created.field("/id"))).and("cookie", cookie);
        assert_eq!(world.send(&page).await.status, 200);
    })
    .await;
}

/// The page states the wait that the API requires.
#[actix_web::test]
async fn the_page_states_the_same_wait_as_the_api() {
    on_one_store(async |mut world: World| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, DECLINED_CARD).await;
        world.limits = sandbox_with(1000);
        for _ in 0..10 {
            assert_eq!(world.send(&submission).await.status, 200, "a replay counts, too");
        }
        let form = card_form(&world, &created, APPROVED_CARD).await;

        let (page, interface) = (world.send(&form).await, world.send(&submission).await);

        assert_too_many(&interface);
        assert_eq!((page.status, page.header("retry-after")), (429, interface.header("retry-after")));
        let expected = format!("Espere {}\u{a0}segundos.", interface.header("retry-after"));
        assert!(page.text().contains(&expected), "{}", page.text());
    })
    .await;
}

/// Payers of a restaurant wait for a slow acquirer at the same time, and none is refused because of the others.
#[actix_web::test]
async fn forty_payers_behind_one_address_wait_for_an_acquirer_together() {
    on_one_store(async |mut world: World| {
        world.limits = sandbox_with(1000);
        let mut forms = Vec::new();
        for n in 0..40 {
            let created = world.sale(&with(SALE, "saleReference", &format!("\"bill-{n}\""))).await;
            forms.push(card_form(&world, &created, APPROVED_CARD).await);
        }
        world.gate.block_calls();
        let (served, later) = (Served::start(&world), Semaphore::new(0));
        let (served, later) = (&served, &later);
        // At most as many bodies arrive at once as the limit allows.
        let sent = forms.iter().enumerate().map(|(n, it)| async move {
            if n >= 20 {
                later.acquire().await.unwrap().forget();
            }
            served.send(it).await
        });

        let (responses, is_reached) = tokio::join!(join_all(sent), async {
            let all = async {
                for n in 1..=40 {
                    world.gate.until_blocked().await;
                    later.add_permits(if n == 20 { 20 } else { 0 });
                }
            };
            let is_reached = timeout(Duration::from_secs(20), all).await.is_ok();
            later.add_permits(40);
            (0..40).for_each(|_| world.gate.let_one_pass());
            is_reached
        });

        let statuses: Vec<u16> = responses.iter().map(|it| it.status).collect();
        assert_eq!((statuses, is_reached), (vec![303; 40], true));
        served.stop_gently().await;
    })
    .await;
}

#[actix_web::test]
async fn a_key_creates_at_most_sixty_tokens_a_minute() {
    on_one_store(async |mut world: World| {
        world.limits = sandbox_with(1000);
        let body = token_request("x", "pay");
        let request = || Request::post("/v1/checkout_tokens", &world.one.key, body.clone());

        for _ in 0..60 {
            assert_eq!(world.send(&request()).await.status, 400);
        }

        assert_too_many(&world.send(&request()).await);
        assert_eq!(world.send(&Request::get("/v1/payments", &world.one.key)).await.status, 200);
    })
    .await;
}
