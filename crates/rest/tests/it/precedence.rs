//! Requests that break two rules: the first in the published order is reported.

use chrono::TimeDelta;
use sandbox::{Fault, Target};

use crate::support::{APPROVED_CARD, Request, SALE, World, card, on_each_store, with, without};

#[actix_web::test]
async fn an_unknown_path_is_reported_before_a_missing_credential() {
    on_each_store(async |world| {
        check(&world, &Request::bare("GET", "/v1/nope"), (404, "endpoint_not_found", None)).await;
        check(&world, &Request::bare("PUT", "/v1/payments"), (405, "endpoint_not_found", None)).await;
        check(&world, &Request::get("/v2/payments", "gk_test_x"), (404, "endpoint_not_found", None)).await;
    })
    .await;
}

#[actix_web::test]
async fn an_invalid_credential_is_reported_before_a_missing_permission() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        world.clock.advance(TimeDelta::hours(25));

        check(&world, &Request::post("/v1/payments", &token, SALE), (401, "checkout_token_expired", None)).await;
    })
    .await;
}

#[actix_web::test]
async fn a_missing_permission_is_reported_before_a_malformed_request() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let submission = format!("/v1/payments/{}/card-submissions", created.field("/id"));
        let document = format!("/v1/fiscal_documents/{}?x=1", created.field("/fiscalDocument/id"));
        let denied = (403, "operation_not_permitted_for_checkout_token", None);

        let garbage = |request: Request| request.without("idempotency-key").sending("{");
        check(&world, &garbage(Request::post("/v1/payments", &token, SALE)), denied).await;
        check(&world, &garbage(Request::post("/v1/checkout_tokens", &token, "{}")), denied).await;
        check(&world, &garbage(Request::post(submission, &world.one.key, "{}")), denied).await;
        check(&world, &Request::get(document, &token), denied).await;
        check(&world, &Request::get("/v1/merchant_accounts/x?x=1", &token), denied).await;
    })
    .await;
}

#[actix_web::test]
async fn a_missing_parameter_is_reported_before_a_malformed_one_and_headers_before_the_body() {
    on_each_store(async |world| {
        let post = |body: &str| Request::post("/v1/payments", &world.one.key, body);
        let no_amount = without(SALE, "amount");
        let bad_currency = with(SALE, "amount.currency", "7");
        let missing_key = (400, "parameter_missing", Some("idempotency-key"));
        let bad_key = (400, "parameter_invalid", Some("idempotency-key"));

        check(&world, &post(&no_amount).without("idempotency-key"), missing_key).await;
        check(&world, &post("{").without("idempotency-key"), missing_key).await;
        check(&world, &post(SALE).without("idempotency-key").without("content-type"), missing_key).await;
        check(&world, &post(&no_amount).keyed("é"), (400, "parameter_missing", Some("amount"))).await;
        check(&world, &post(&bad_currency).keyed("é"), bad_key).await;
        check(&world, &post("{").keyed("é"), bad_key).await;
        let queried = |body: &str| Request { target: "/v1/payments?x=1".to_owned(), ..post(body) };
        check(&world, &queried(&bad_currency), (400, "parameter_invalid", Some("x"))).await;
        check(&world, &queried(&no_amount), (400, "parameter_missing", Some("amount"))).await;
        let named_twice = post(&bad_currency).and("provider", "simulator").and("provider", "azul");
        check(&world, &named_twice, (400, "parameter_invalid", Some("provider"))).await;
    })
    .await;
}

#[actix_web::test]
async fn a_malformed_request_is_reported_before_an_unknown_resource() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let elsewhere = format!("/v1/payments/{}/card-submissions", testkit::sample::payment_id(9));
        let submission = Request::post(elsewhere, &token, card("1"));
        let sale = |body: &str| Request::post("/v1/payments", &world.one.key, body).with("merchant-account", "unknown");

        check(&world, &submission, (400, "parameter_invalid", Some("card.number"))).await;
        let expired = with(&card(APPROVED_CARD), "card.expirationYear", "2020");
        let unknown = (404, "payment_not_found", Some("paymentId"));
        check(&world, &submission.clone().sending(expired), unknown).await;
        let wallet = r#"{"wallet":{"kind":"apple_pay","payload":"e30"}}"#;
        check(&world, &submission.sending(wallet), unknown).await;
        check(&world, &sale(&without(SALE, "amount")), (400, "parameter_missing", Some("amount"))).await;
        check(&world, &Request::get("/v1/payments/x?x=1", &token), (400, "parameter_invalid", Some("x"))).await;
    })
    .await;
}

#[actix_web::test]
async fn an_unknown_resource_is_reported_before_the_idempotency_key() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let used = Request::post("/v1/payments", &world.one.key, SALE).keyed("used");
        world.send(&used).await;
        let submitted = world.submission(&created, APPROVED_CARD).await.keyed("used-too");
        world.send(&submitted).await;
        let elsewhere = format!("/v1/payments/{}/card-submissions", testkit::sample::payment_id(9));

        let unknown_account = (404, "merchant_account_not_found", Some("merchant-account"));
        check(&world, &used.with("merchant-account", "unknown"), unknown_account).await;
        let unknown_payment = (404, "payment_not_found", Some("paymentId"));
        check(&world, &Request { target: elsewhere, ..submitted }, unknown_payment).await;
    })
    .await;
}

#[actix_web::test]
async fn the_idempotency_key_is_checked_before_parts_and_rules() {
    on_each_store(async |world| {
        let reused = (409, "idempotency_key_reused", Some("idempotency-key"));
        let used = Request::post("/v1/payments", &world.one.key, SALE).keyed("used");
        let created = world.send(&used).await;
        check(&world, &used.clone().sending(with(SALE, "amount.currency", r#""JPY""#)), reused).await;

        let submitted = world.submission(&created, APPROVED_CARD).await.keyed("used-too");
        world.send(&submitted).await;
        let part = with(std::str::from_utf8(&submitted.body).unwrap(), "partOrdinal", "1");
        check(&world, &submitted.sending(part), reused).await;

        world.clock.advance(TimeDelta::hours(73));
        let expired = (409, "idempotency_key_expired", Some("idempotency-key"));
        check(&world, &used.sending(with(SALE, "saleReference", r#""another""#)), expired).await;
    })
    .await;
}

#[actix_web::test]
async fn an_unknown_part_is_reported_before_the_state() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let paying = world.submission(&created, APPROVED_CARD).await;
        world.send(&paying).await;
        let submission = paying.keyed("another");
        let part = with(std::str::from_utf8(&submission.body).unwrap(), "partOrdinal", "1");

        check(&world, &submission, (409, "checkout_window_closed", None)).await;
        check(&world, &submission.sending(part), (404, "payment_split_not_found", Some("partOrdinal"))).await;
    })
    .await;
}

#[actix_web::test]
async fn rules_are_checked_before_the_state_and_the_state_before_unprocessable_requests() {
    on_each_store(async |world| {
        let post = |body: &str| Request::post("/v1/payments", &world.one.key, body);
        // A required buyer that is locked and missing cannot be supplied.
        let locked =
            with(&with(SALE, "fiscalDocument.kind", r#""fiscal_credit""#), "fiscalDocument.isBuyerLocked", "true");
        let mismatched = with(&locked, "amount.minorUnits", "118001");
        let of_no_currency = with(&mismatched, "amount.currency", r#""JPY""#);

        check(&world, &post(&of_no_currency), (400, "currency_not_supported", Some("amount.currency"))).await;
        check(&world, &post(&mismatched), (409, "fiscal_buyer_required", Some("fiscalDocument.buyer"))).await;
    })
    .await;
}

#[actix_web::test]
async fn rules_are_checked_in_the_published_order() {
    on_each_store(async |world| {
        let post = |body: &str| Request::post("/v1/payments", &world.one.key, body);
        let small = with(SALE, "amount.minorUnits", "1");
        let of_yen = with(&small, "amount.currency", r#""JPY""#);
        let elsewhere = post(&of_yen).with("provider", "unknown");
        let no_lines = with(&small, "fiscalDocument.lines", "[]");

        check(&world, &elsewhere, (400, "provider_not_available", Some("provider"))).await;
        check(&world, &post(&of_yen), (400, "currency_not_supported", Some("amount.currency"))).await;
        check(&world, &post(&no_lines), (400, "amount_below_minimum", Some("amount.minorUnits"))).await;
    })
    .await;
}

#[actix_web::test]
async fn unprocessable_requests_are_reported_in_the_published_order() {
    on_each_store(async |world| {
        let post = |body: &str| Request::post("/v1/payments", &world.one.key, body);
        let mismatched = with(SALE, "amount.minorUnits", "118001");
        let of_government = with(&mismatched, "fiscalDocument.kind", r#""government""#);
        let not_allowed = with(&of_government, "fiscalDocument.allowedKinds", r#"["consumer"]"#);
        let amount_only = with(&not_allowed, "checkoutDisplay", r#"{"mode":"amount_only"}"#);

        let eligibility = Some("fiscalDocument.governmentEligibility");
        check(&world, &post(&amount_only), (422, "payment_description_required", Some("description"))).await;
        check(&world, &post(&not_allowed), (422, "fiscal_document_kind_not_allowed", Some("fiscalDocument.kind")))
            .await;
        check(&world, &post(&of_government), (422, "fiscal_government_eligibility_required", eligibility)).await;
        check(&world, &post(&mismatched), (422, "fiscal_total_mismatch", Some("amount.minorUnits"))).await;
    })
    .await;
}

#[actix_web::test]
async fn an_invalid_request_is_reported_before_an_outage() {
    on_each_store(async |world| {
        let ambiguous_sale = with(SALE, "saleReference", r#""sandbox:verifying:approved""#);
        let post = |body: &str| Request::post("/v1/payments", &world.one.key, body);
        world.faults.inject(Target::Acquirer, Fault::BeforeRequest, 2).unwrap();

        let mismatch = (422, "fiscal_total_mismatch", Some("amount.minorUnits"));
        check(&world, &post(&with(&ambiguous_sale, "amount.minorUnits", "118001")), mismatch).await;
        let down = world.send(&post(&ambiguous_sale)).await;
        assert_eq!(down.error(), (502, "provider_unavailable".to_owned(), None));
    })
    .await;
}

async fn check(world: &World, request: &Request, expected: (u16, &str, Option<&str>)) {
    let before = world.sale_store.commits();

    let response = world.send(request).await;

    let (status, code, param) = expected;
    assert_eq!(response.error(), (status, code.to_owned(), param.map(str::to_owned)), "{request:?}");
    assert_eq!(world.sale_store.commits(), before, "nothing was changed by {request:?}");
}
