//! Requests and responses as a merchant's developer sees them.

use app::issue_document;
use chrono::TimeDelta;
use domain::FiscalDocumentId;

use crate::support::{
    APPROVED_CARD, Bill, DECLINED_CARD, LOST_CARD, Request, SALE, TestResponse, World, check_exchange, on_each_store,
    token_request, with,
};

#[actix_web::test]
async fn creating_a_payment() {
    on_each_store(async |world| {
        let key = world.one.key.as_str();
        let post = |body: &str| Request::post("/v1/payments", key, body).keyed("sale-1");
        check(&world, "create_payment/created", post(SALE)).await;
        check(&world, "create_payment/created_again", post(SALE)).await;
        check(&world, "create_payment/idempotency_key_reused", post(&with(SALE, "amount.minorUnits", "118001"))).await;

        let post = |body: &str| Request::post("/v1/payments", key, body);
        let with_reference = |text: &str| with(SALE, "saleReference", text);
        check(&world, "create_payment/declined", post(&with_reference(r#""sandbox:declined:insufficient_funds""#)))
            .await;
        check(&world, "create_payment/verifying", post(&with_reference(r#""sandbox:verifying:approved""#))).await;
        check(&world, "create_payment/parameter_missing", post(&with(SALE, "amount", "null"))).await;
        check(&world, "create_payment/parameter_invalid", post(&with(SALE, "amount.minorUnits", "1180.00"))).await;
        check(&world, "create_payment/fiscal_total_mismatch", post(&with(SALE, "amount.minorUnits", "118001"))).await;
        check(&world, "create_payment/api_key_missing", post(SALE).without("authorization")).await;
        check(&world, "create_payment/unsupported_media_type", post(SALE).with("content-type", "text/plain")).await;
    })
    .await;
}

#[actix_web::test]
async fn reading_a_payment() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let path = format!("/v1/payments/{}", created.field("/id"));

        check(&world, "get_payment/for_its_merchant", Request::get(&path, &world.one.key)).await;
        check(&world, "get_payment/for_a_payer", Request::get(&path, &token)).await;
        check(&world, "get_payment/payment_not_found", Request::get(&path, &world.other.key)).await;
    })
    .await;
}

#[actix_web::test]
async fn submitting_a_card() {
    on_each_store(async |world| {
        for (case, number) in [("approved", APPROVED_CARD), ("declined", DECLINED_CARD), ("verifying", LOST_CARD)] {
            let created = world.sale(SALE).await;
            let submission = world.submission(&created, number).await;
            let response = world.send(&submission).await;
            // Fixtures contain no card number.
            check_exchange(&format!("submit_card/{case}"), &submission.clone().sending(""), &response);

            let again = submission.keyed("another");
            let response = world.send(&again).await;
            let case = if case == "declined" { "declined_again" } else { response.error().1.leak() };
            check_exchange(&format!("submit_card/{case}"), &again.sending(""), &response);
        }
    })
    .await;
}

#[actix_web::test]
async fn sharing_a_bill() {
    on_each_store(async |world| {
        let bill = Bill { created: world.sale(SALE).await, token: world.one.key.clone() };
        let payer_token = world.token(&bill.created, "pay").await;
        let as_payer = |request: Request| request.with("authorization", format!("Bearer {payer_token}"));
        check(&world, "open_split/payment_split_invalid", bill.open(11)).await;
        check(&world, "open_split/shared", bill.open(2)).await;
        check(&world, "open_split/payment_split_exists", bill.open(2)).await;
        check(&world, "replace_split/replaced", bill.replace(2)).await;
        check(&world, "replace_split/not_by_a_guest", as_payer(bill.replace(2))).await;
        world.done(&as_payer(bill.card(1, APPROVED_CARD))).await;
        world.done(&as_payer(bill.card(2, DECLINED_CARD))).await;
        check(&world, "get_split/partially_authorized", Request::get(bill.at(""), &payer_token)).await;
        check(&world, "get_part/authorized", Request::get(bill.at("/parts/1"), &payer_token)).await;
        check(&world, "get_part/declined", Request::get(bill.at("/parts/2"), &payer_token)).await;
        check(&world, "get_part/payment_part_not_found", Request::get(bill.at("/parts/3"), &payer_token)).await;
        check(&world, "delete_split/payment_split_locked", bill.delete()).await;
        check(&world, "capture_split/payment_split_not_capturable", bill.capture()).await;
        world.done(&as_payer(bill.card(2, APPROVED_CARD))).await;
        check(&world, "capture_split/captured", bill.capture()).await;
        check(&world, "release_split/payment_split_complete", bill.release()).await;
        check(&world, "renew_split/payment_split_not_expired", bill.renew()).await;
    })
    .await;
}

#[actix_web::test]
async fn ending_a_split() {
    on_each_store(async |world| {
        let (released, deleted, renewed) = (world.bill(2).await, world.bill(2).await, world.bill(2).await);
        world.reserve(&released, [1]).await;
        check(&world, "release_split/released", released.release()).await;
        check(&world, "delete_split/deleted", deleted.delete()).await;
        world.clock.advance(TimeDelta::hours(2));
        world.settle(&renewed).await;
        check(&world, "renew_split/renewed", renewed.renew()).await;
    })
    .await;
}

#[actix_web::test]
async fn refunding_a_payment() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let at = format!("/v1/payments/{}/refunds", paid.field("/id"));
        let body = r#"{"scope":"lines","reason":"returned","lines":[{"sourceLineId":"l1","quantity":"0.50"}]}"#;
        let refund = |key: &str, body: &str| Request::post(&at, key, body);

        let preview = Request::post(format!("{at}/preview"), &world.one.key, body).without("idempotency-key");
        check(&world, "preview_refund/possible", preview).await;
        check(&world, "create_refund/refund_not_permitted", refund(&world.one.key, body)).await;
        check(&world, "create_refund/succeeded", refund(&admin, body)).await;
        let too_much = with(body, "lines.0.quantity", r#""0.51""#);
        check(&world, "create_refund/refund_amount_exceeds_refundable", refund(&admin, &too_much)).await;
        let list = Request::get(format!("/v1/refunds?payment={}", paid.field("/id")), &world.one.key);
        let listed = world.done(&list).await.json()["data"][0]["id"].as_str().unwrap().to_owned();
        check(&world, "get_refund/succeeded", Request::get(format!("/v1/refunds/{listed}"), &world.one.key)).await;
        check(&world, "get_refund/refund_not_found", Request::get("/v1/refunds/x", &world.one.key)).await;
    })
    .await;
}

#[actix_web::test]
async fn asking_for_a_token() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let reference = created.field("/checkoutReference");
        let post = |purpose| Request::post("/v1/checkout_tokens", &world.one.key, token_request(&reference, purpose));

        check(&world, "create_checkout_token/to_pay", post("pay")).await;
        check(&world, "create_checkout_token/checkout_reference_invalid", post("receipt")).await;
    })
    .await;
}

#[actix_web::test]
async fn reading_a_fiscal_document() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
        let get = |path: &str| Request::get(path, &world.one.key);
        check(&world, "get_fiscal_document/requested", get(&path)).await;
        check(&world, "get_signed_document/fiscal_artifact_not_ready", get(&format!("{path}/signed-document"))).await;
        let printed = get(&format!("{path}/printed-representation"));
        check(&world, "get_printed_representation/fiscal_artifact_not_ready", printed).await;

        world.send(&world.submission(&created, APPROVED_CARD).await).await;
        let document = FiscalDocumentId::parse(&created.field("/fiscalDocument/id")).unwrap();
        issue_document(&world.ports, &world.one.tenant, &document).await.unwrap();
        let response = without_signature_values(world.send(&get(&path)).await);
        check_exchange("get_fiscal_document/issued", &get(&path), &response);
    })
    .await;
}

#[actix_web::test]
async fn asking_for_a_fiscal_document_by_mail() {
    on_each_store(async |world| {
        let created = world.issued(SALE, APPROVED_CARD).await;
        let path = format!("/v1/fiscal_documents/{}/deliveries", created.field("/fiscalDocument/id"));
        let post = || Request::post(&path, &world.one.key, r#"{"recipientEmail":"rosa@correo.example"}"#);

        check(&world, "request_delivery/requested", post()).await;
        for _ in 0..4 {
            world.send(&post()).await;
        }
        check(&world, "request_delivery/rate_limit_exceeded", post()).await;
    })
    .await;
}

#[actix_web::test]
async fn reading_a_merchant_account() {
    on_each_store(async |world| {
        let path = format!("/v1/merchant_accounts/{}", world.one.account);
        check(&world, "get_merchant_account/ready", Request::get(&path, &world.one.key)).await;
        check(&world, "get_merchant_account/merchant_account_not_found", Request::get(&path, &world.other.key)).await;
    })
    .await;
}

#[actix_web::test]
async fn common_error_responses() {
    on_each_store(async |world| {
        let key = world.one.key.as_str();
        check(&world, "errors/endpoint_not_found", Request::get("/v1/nope", key)).await;
        check(&world, "errors/method_not_allowed", Request::bare("DELETE", "/v1/payments")).await;
        check(&world, "errors/api_key_invalid", Request::get("/v1/payments/x", "gk_test_x")).await;
        world.sale_store.fail();
        let id = testkit::sample::payment_id(1);
        check(&world, "errors/internal_error", Request::get(format!("/v1/payments/{id}"), key)).await;
    })
    .await;
}

async fn check(world: &World, name: &str, request: Request) {
    let response = world.send(&request).await;
    check_exchange(name, &request, &response);
}

/// Replaces the idempotency key, which differs in each run.
fn without_signature_values(response: TestResponse) -> TestResponse {
    let mut json = response.json();
    let code = response.field("/securityCode");
    json["securityCode"] = "<security code>".into();
    let address = json["verificationUrl"].as_str().unwrap().split("CodigoSeguridad=").next().unwrap().to_owned();
    json["verificationUrl"] = format!("{address}CodigoSeguridad=<security code>").into();
    for artifact in ["signedDocument", "printedRepresentation"] {
        json["artifacts"][artifact]["sha256"] = "<digest>".into();
        json["artifacts"][artifact]["sizeBytes"] = "<size>".into();
    }
    assert_eq!(code.len(), 6);
    TestResponse { body: json.to_string().into_bytes(), ..response }
}
