//! Panics: one error response, without details.

use crate::support::{APPROVED_CARD, Log, Request, SALE, Served, TestResponse, World, on_each_store, on_one_store};

#[actix_web::test]
async fn a_panic_becomes_an_internal_error() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        let requests = [
            Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key),
            Request::post("/v1/payments", &world.one.key, SALE),
            submission,
        ];
        world.sale_store.panic();

        for request in requests {
            let response = world.send(&request).await;

            assert_internal_error(&response);
        }
        world.sale_store.recover();
        world.sale(SALE).await;
    })
    .await;
}

#[actix_web::test]
async fn a_panic_becomes_a_response_and_does_not_affect_other_requests() {
    on_one_store(async |world| {
        let created = world.sale(SALE).await;
        let request = Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key);
        let served = Served::start(&world);
        world.sale_store.panic();

        for _ in 0..5 {
            assert_internal_error(&served.send(&request).await);
        }
        let health = served.send(&Request::bare("GET", "/healthz")).await;
        world.sale_store.recover();

        assert_eq!(health.text(), "alive\n");
        assert_eq!(served.send(&request).await.status, 200);
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn the_log_has_the_location_of_a_panic_and_not_its_message() {
    on_one_store(async |world| {
        rest::log_panics_without_their_message();
        let log = Log::begin();
        world.sale_store.panic();

        let response = world.send(&Request::post("/v1/checkout_tokens", &world.one.key, token(&world))).await;

        let text = log.text();
        assert_internal_error(&response);
        assert!(text.contains("panicked") && text.contains("doubles.rs:"), "{text}");
        assert!(!text.contains("secret"), "{text}");
        let _ = std::panic::take_hook();
    })
    .await;
}

fn token(_: &World) -> String {
    crate::support::token_request(testkit::sample::checkout_reference(1).as_str(), "pay")
}

#[track_caller]
fn assert_internal_error(response: &TestResponse) {
    assert_eq!(response.error(), (500, "internal_error".to_owned(), None));
    assert!(!response.text().contains("secret"));
}
