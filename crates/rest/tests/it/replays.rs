//! Replays of responses.

use chrono::TimeDelta;
use futures_util::future::join_all;

use crate::support::{APPROVED_CARD, Request, SALE, Served, TestResponse, on_each_store, token_request, with};

#[actix_web::test]
async fn a_retry_gets_the_same_response() {
    on_each_store(async |world| {
        let request = Request::post("/v1/payments", &world.one.key, SALE).keyed("one");

        let first = world.send(&request).await;
        let again = world.send(&request).await;

        assert_eq!((first.status, first.header("idempotent-replayed")), (201, ""));
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        assert_same(&first, &again);
        assert_eq!(world.sale_store.payments(), 1);
    })
    .await;
}

#[actix_web::test]
async fn a_retry_may_differ_in_spelling_and_not_in_content() {
    on_each_store(async |world| {
        let request = Request::post("/v1/payments", &world.one.key, SALE).keyed("one");
        let first = world.send(&request).await;
        let json: serde_json::Value = serde_json::from_str(SALE).unwrap();
        // The library sorts the keys.
        let (sorted, escaped) = (json.to_string(), SALE.replace("Cena", "\\u0043ena"));
        let noted = with(SALE, "metadata", r#"{"table":"7"}"#);

        for spelled in [sorted, escaped] {
            let again = world.send(&request.clone().sending(spelled)).await;
            assert_same(&first, &again);
        }
        let other = world.send(&request.clone().sending(noted)).await;
        assert_eq!(other.error().1, "idempotency_key_reused");
        let other = world.send(&request.with("provider", "simulator")).await;
        assert_eq!(other.error().1, "idempotency_key_reused");
        assert_eq!(world.sale_store.payments(), 1);
    })
    .await;
}

#[actix_web::test]
async fn a_key_belongs_to_one_route_of_one_merchant() {
    on_each_store(async |world| {
        let request = Request::post("/v1/payments", &world.one.key, SALE).keyed("one");
        let first = world.send(&request).await;
        let body = token_request(&first.field("/checkoutReference"), "pay");

        let elsewhere = world.send(&Request::post("/v1/checkout_tokens", &world.one.key, body).keyed("one")).await;
        let of_other_merchant = world.send(&Request::post("/v1/payments", &world.other.key, SALE).keyed("one")).await;

        assert_eq!(elsewhere.error().1, "idempotency_key_reused");
        assert_eq!((of_other_merchant.status, of_other_merchant.header("idempotent-replayed")), (201, ""));
        assert_ne!(of_other_merchant.field("/id"), first.field("/id"));
    })
    .await;
}

#[actix_web::test]
async fn a_response_is_replayed_for_72_hours_and_its_key_stays_used() {
    on_each_store(async |world| {
        let request = Request::post("/v1/payments", &world.one.key, SALE).keyed("one");
        let first = world.send(&request).await;

        world.clock.advance(TimeDelta::hours(72) - TimeDelta::seconds(1));
        let again = world.send(&request).await;
        world.clock.advance(TimeDelta::seconds(2));
        let late = world.send(&request).await;

        assert_same(&first, &again);
        let expected = (409, "idempotency_key_expired".to_owned(), Some("idempotency-key".to_owned()));
        assert_eq!(late.error(), expected);
        assert_eq!(world.sale_store.payments(), 1);
    })
    .await;
}

#[actix_web::test]
async fn a_charge_is_replayed_after_its_card_expired() {
    on_each_store(async |world| {
        // The last day of March: a charge at noon is retried in April.
        world.clock.advance(TimeDelta::days(30));
        let lasting = world.submission(&world.sale(SALE).await, APPROVED_CARD).await;
        let body = String::from_utf8(lasting.body.clone()).unwrap();
        let lapsing = with(&with(&body, "card.expirationMonth", "3"), "card.expirationYear", "2026");
        let submission = lasting.sending(lapsing).keyed("one");
        let paid = world.send(&submission).await;

        world.clock.advance(TimeDelta::hours(20));
        let again = world.send(&submission).await;
        let new_submission = world.send(&submission.keyed("another")).await;

        assert_eq!(paid.field("/status"), "succeeded");
        assert_same(&paid, &again);
        let expected = (400, "parameter_invalid".to_owned(), Some("card.expirationYear".to_owned()));
        assert_eq!(new_submission.error(), expected);
    })
    .await;
}

#[actix_web::test]
async fn a_replay_does_not_depend_on_the_current_payment() {
    on_each_store(async |world| {
        let request = Request::post("/v1/payments", &world.one.key, SALE).keyed("one");
        let first = world.send(&request).await;
        let submission = world.submission(&first, APPROVED_CARD).await;
        let paid = world.send(&submission).await;
        world.clock.advance(TimeDelta::hours(20));

        assert_same(&first, &world.send(&request).await);
        assert_same(&paid, &world.send(&submission).await);
        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}

#[actix_web::test]
async fn the_fingerprint_of_a_submission_does_not_depend_on_the_card() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let paid = world.send(&submission).await;
        let other = String::from_utf8(submission.body.clone()).unwrap().replace("737", "738");

        let again = world.send(&submission.sending(other)).await;

        assert_same(&paid, &again);
    })
    .await;
}

#[actix_web::test]
async fn a_retry_returns_the_same_token() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let body = token_request(&created.field("/checkoutReference"), "pay");
        let request = Request::post("/v1/checkout_tokens", &world.one.key, body);

        let first = world.send(&request).await;
        let again = world.send(&request).await;

        assert!(first.field("/token").starts_with("ct_test_"));
        assert_same(&first, &again);
    })
    .await;
}

#[actix_web::test]
async fn a_running_command_is_not_started_again() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        world.gate.block_calls();

        let (paid, again) = tokio::join!(world.send(&submission), async {
            world.gate.until_blocked().await;
            let again = world.send(&submission).await;
            world.gate.let_one_pass();
            again
        });

        let expected = (409, "idempotency_request_in_progress".to_owned(), Some("idempotency-key".to_owned()));
        assert_eq!((again.error(), again.header("retry-after")), (expected, "1"));
        assert_eq!(paid.field("/status"), "succeeded");
        assert_eq!(world.acquirer.transactions().len(), 1);
    })
    .await;
}

#[actix_web::test]
async fn fifty_concurrent_retries_create_one_payment() {
    on_each_store(async |world| {
        let served = Served::start(&world);
        let request = Request::post("/v1/payments", &world.one.key, SALE).keyed("one");

        let responses = join_all((0..50).map(|_| served.send(&request))).await;

        let (made, others): (Vec<&TestResponse>, Vec<&TestResponse>) =
            responses.iter().partition(|it| it.status == 201);
        let fresh = made.iter().filter(|it| it.header("idempotent-replayed").is_empty()).count();
        assert_eq!((fresh, world.sale_store.payments()), (1, 1));
        for response in &made {
            assert_same(made[0], response);
        }
        for response in others {
            assert_eq!(response.error().1, "idempotency_request_in_progress");
        }
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn ten_concurrent_retries_make_one_attempt() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let served = Served::start(&world);
        let submissions: Vec<Request> = (0..10).map(|n| submission.clone().keyed(format!("card-{n}"))).collect();

        let responses = join_all(submissions.iter().map(|it| served.send(it))).await;

        let paid = responses.iter().filter(|it| it.status == 200).count();
        assert_eq!((paid, world.acquirer.transactions().len()), (1, 1));
        for response in responses.iter().filter(|it| it.status != 200) {
            let code = response.error().1;
            let known = ["payment_method_already_in_progress", "checkout_window_closed"];
            assert!(known.contains(&code.as_str()), "{code}");
        }
        served.stop().await;
    })
    .await;
}

/// Checks that status, body, media type, tag and request id are equal.
#[track_caller]
fn assert_same(one: &TestResponse, other: &TestResponse) {
    assert_eq!(one.text(), other.text());
    assert_eq!(one.status, other.status);
    for name in ["content-type", "etag", "request-id"] {
        assert_eq!(one.header(name), other.header(name), "{name}");
    }
}
