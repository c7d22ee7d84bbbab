//! Isolation of merchants.

use app::operators::{revoke_key, rotate_key};
use chrono::TimeDelta;
use domain::FiscalDocumentId;
use testkit::sample;

use crate::support::{APPROVED_CARD, Request, SALE, World, card, on_each_store, token_request};

#[actix_web::test]
async fn foreign_malformed_and_unknown_ids_get_the_same_response() {
    on_each_store(async |world| {
        let theirs = world.issued(SALE, APPROVED_CARD).await;
        let (payment, document) = (theirs.field("/id"), theirs.field("/fiscalDocument/id"));
        let account = world.one.account.to_string();
        let signed = |id: &str| format!("/v1/fiscal_documents/{id}/signed-document");
        let printed = |id: &str| format!("/v1/fiscal_documents/{id}/printed-representation");

        let ids = [payment.as_str(), sample::payment_id(7).as_str(), &document, "x", "payment_ABC"].map(str::to_owned);
        assert_alike(&world, &ids.map(|it| format!("/v1/payments/{it}")), "paymentId").await;
        let ids = [document.as_str(), sample::document_id(7).as_str(), &payment, "x", "%00"].map(str::to_owned);
        assert_alike(&world, &ids.clone().map(|it| format!("/v1/fiscal_documents/{it}")), "fiscalDocumentId").await;
        assert_alike(&world, &ids.clone().map(|it| signed(&it)), "fiscalDocumentId").await;
        assert_alike(&world, &ids.map(|it| printed(&it)), "fiscalDocumentId").await;
        let ids = [account.as_str(), sample::account_id(7).as_str(), &payment, "x", "%f0%9f%92%b3"].map(str::to_owned);
        assert_alike(&world, &ids.map(|it| format!("/v1/merchant_accounts/{it}")), "merchantAccountId").await;
    })
    .await;
}

#[actix_web::test]
async fn an_expired_key_gets_the_response_of_an_unknown_key() {
    on_each_store(async |world| {
        let (unknown, ended) = (world.forgotten().await, world.ended().await);

        let one = world.send(&Request::get("/v1/payments/x", &unknown)).await;
        let other = world.send(&Request::get("/v1/payments/x", &ended)).await;

        assert_eq!(one.body_without_request_id(), other.body_without_request_id());
    })
    .await;
}

#[actix_web::test]
async fn a_revoked_key_opens_nothing_from_the_next_request_on() {
    on_each_store(async |world| {
        let path = "/v1/payments/x";
        let unknown = world.send(&Request::get(path, &world.forgotten().await)).await;
        let key = world.admin().await;
        let own = world.send(&Request::get("/v1/payments", &key)).await;

        revoke_key(&world.ports, &world.one.tenant, &key[..12]).await.unwrap();
        let revoked = world.send(&Request::get(path, &key)).await;

        assert_eq!((own.status, revoked.status), (200, 401));
        assert_eq!(revoked.body_without_request_id(), unknown.body_without_request_id());
    })
    .await;
}

#[actix_web::test]
async fn a_rotated_key_stays_valid_during_the_overlap() {
    on_each_store(async |world| {
        let (old, overlap) = (world.admin().await, TimeDelta::hours(24));
        let opens = async |key: &str| world.send(&Request::get("/v1/merchant_profile", key)).await.status;

        let rotated = rotate_key(&world.ports, &world.one.tenant, &old[..12], overlap).await;
        let (new, _) = rotated.unwrap();
        let beside = (opens(&old).await, opens(&new).await);
        world.clock.advance(overlap);
        let after = (opens(&old).await, opens(&new).await);
        let too_long = rotate_key(&world.ports, &world.one.tenant, &new[..12], TimeDelta::days(8)).await;

        assert_eq!((beside, after), ((200, 200), (401, 200)));
        assert!(too_long.is_err());
    })
    .await;
}

#[actix_web::test]
async fn a_token_opens_only_its_payment() {
    on_each_store(async |world| {
        let (own, another) = (world.sale(SALE).await, world.sale(SALE).await);
        let token = world.token(&own, "pay").await;
        let get = |id: &str| Request::get(format!("/v1/payments/{id}"), &token);
        let pay = |id: &str| Request::post(format!("/v1/payments/{id}/card-submissions"), &token, card(APPROVED_CARD));

        let (found, denied) =
            (world.send(&get(&own.field("/id"))).await, world.send(&get(&another.field("/id"))).await);
        let absent = world.send(&get(sample::payment_id(7).as_str())).await;
        let unpaid = world.send(&pay(&another.field("/id"))).await;

        assert_eq!(found.status, 200);
        assert_eq!(denied.error(), (404, "payment_not_found".to_owned(), Some("paymentId".to_owned())));
        assert_eq!(denied.body_without_request_id(), absent.body_without_request_id());
        assert_eq!(unpaid.body_without_request_id(), absent.body_without_request_id());
        assert_eq!(world.acquirer.transactions().len(), 0);
    })
    .await;
}

#[actix_web::test]
async fn the_holder_of_a_receipt_reads_its_document_and_no_other() {
    on_each_store(async |world| {
        let (own, another) = (world.issued(SALE, APPROVED_CARD).await, world.issued(SALE, APPROVED_CARD).await);
        let receipt = world.token(&own, "receipt").await;
        let get = |id: &str| Request::get(format!("/v1/fiscal_documents/{id}"), &receipt);

        let read = world.send(&get(&own.field("/fiscalDocument/id"))).await;
        let denied = world.send(&get(&another.field("/fiscalDocument/id"))).await;

        assert_eq!((read.status, read.field("/status")), (200, "issued".to_owned()));
        assert!(!read.text().contains("merchantInvoiceNumber"));
        let expected = (404, "fiscal_document_not_found".to_owned(), Some("fiscalDocumentId".to_owned()));
        assert_eq!(denied.error(), expected);
        assert!(FiscalDocumentId::parse(&read.field("/id")).is_some());
    })
    .await;
}

#[actix_web::test]
async fn a_checkout_reference_is_useless_to_another_merchant() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let reference = created.field("/checkoutReference");
        let unknown = sample::checkout_reference(7).as_str().to_owned();
        let post = |text: &str| Request::post("/v1/checkout_tokens", &world.other.key, token_request(text, "pay"));

        let denied = world.send(&post(&reference)).await;

        let expected = (400, "checkout_reference_invalid".to_owned(), Some("checkoutReference".to_owned()));
        assert_eq!(denied.error(), expected);
        for text in [unknown.as_str(), "x", "payment_1"] {
            let response = world.send(&post(text)).await;
            assert_eq!(response.body_without_request_id(), denied.body_without_request_id(), "{text}");
        }
    })
    .await;
}

/// Checks that every path, the first of which belongs to the other merchant, gets the same response.
async fn assert_alike(world: &World, paths: &[String; 5], param: &str) {
    let [anothers, others @ ..] = paths;
    let denied = world.send(&Request::get(anothers, &world.other.key)).await;

    assert_eq!((denied.status, denied.error().2.as_deref()), (404, Some(param)));
    for path in others {
        let response = world.send(&Request::get(path, &world.other.key)).await;
        assert_eq!(response.body_without_request_id(), denied.body_without_request_id(), "{path}");
        assert_eq!(response.status, 404);
    }
}
