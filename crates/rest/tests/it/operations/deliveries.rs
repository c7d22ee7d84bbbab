use chrono::TimeDelta;
use testkit::sample;

use super::{DENIED, EXPIRED, ExpectedError, NOT_OWNED, check_replay, invalid, missing};
use crate::support::{APPROVED_CARD, Request, SALE, TestResponse, World, check, on_each_store, with};

const NO_DOCUMENT: ExpectedError = (404, "fiscal_document_not_found", Some("fiscalDocumentId"));
const NOT_READY: ExpectedError = (409, "fiscal_artifact_not_ready", None);
const TOO_MANY: ExpectedError = (429, "rate_limit_exceeded", None);
const BODY: &str = r#"{"recipientEmail":"rosa@correo.example"}"#;

fn at(created: &TestResponse) -> String {
    format!("/v1/fiscal_documents/{}/deliveries", created.field("/fiscalDocument/id"))
}

/// Returns the delivery of the document for `credential`.
async fn delivery(world: &World, created: &TestResponse, credential: &str) -> serde_json::Value {
    let path = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
    world.send(&Request::get(path, credential)).await.json()["delivery"].clone()
}

/// A sale that was created with an address for the document.
fn promised() -> String {
    with(SALE, "fiscalDocument.deliveryEmail", r#""ana@correo.example""#)
}

#[actix_web::test]
async fn an_e_mail_is_requested_before_or_after_the_document_is_issued() {
    on_each_store(async |world| {
        let (open, issued) = (world.sale(SALE).await, world.issued(SALE, APPROVED_CARD).await);
        let not_requested = serde_json::json!({"email": null, "status": "not_requested"});
        assert_eq!(delivery(&world, &open, &world.one.key).await, not_requested);

        for created in [open, issued] {
            let request = Request::post(at(&created), &world.one.key, BODY);
            let before =
                world.send(&Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key)).await;

            let requested = check_replay(&world, &request, r#"{"recipientEmail":"ana@correo.example"}"#).await;

            let expected = serde_json::json!({"email": "rosa@correo.example", "status": "waiting_for_document"});
            assert_eq!((requested.status, requested.json()), (202, expected.clone()));
            assert_eq!((requested.header("etag"), requested.header("cache-control")), ("", "no-store"));
            assert_eq!(delivery(&world, &created, &world.one.key).await, expected);
            let after =
                world.send(&Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key)).await;
            assert_ne!(before.header("etag"), after.header("etag"), "the tag changes with the representation");
        }
    })
    .await;
}

/// A request while the document is being issued causes no delay.
#[actix_web::test]
async fn a_requested_e_mail_does_not_delay_the_document() {
    on_each_store(async |world| {
        let created = world.sale(&promised()).await;
        world.send(&world.submission(&created, APPROVED_CARD).await).await;

        let requested = world.send(&Request::post(at(&created), &world.one.key, BODY)).await;
        world.issue(&created).await;

        assert_eq!(requested.status, 202);
        let path = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
        let issued = world.send(&Request::get(path, &world.one.key)).await;
        assert_eq!(
            (issued.field("/status"), issued.field("/delivery/email")),
            ("issued".into(), "rosa@correo.example".into())
        );
        let mut tables = world.home.table_reader().await;
        let waiting =
            tables.rows().await.into_iter().filter(|it| it.starts_with("document_emails:")).collect::<Vec<_>>();
        assert_eq!(waiting.len(), 2, "{waiting:?}");
        for address in ["ana@correo.example", "rosa@correo.example"] {
            assert!(waiting.iter().any(|it| it.contains(address)), "{address} is missing: {waiting:?}");
        }
    })
    .await;
}

#[actix_web::test]
async fn invalid_delivery_requests_are_refused() {
    on_each_store(async |world| {
        let (created, canceled) = (world.issued(SALE, APPROVED_CARD).await, world.sale(SALE).await);
        let token = world.token(&world.sale(SALE).await, "pay").await;
        let cancel = format!("/v1/payments/{}/cancellations", canceled.field("/id"));
        world.send(&Request::post(cancel, &world.one.key, r#"{"reason":"other"}"#)).await;
        let used = Request::post(at(&created), &world.one.key, BODY).keyed("used");
        assert_eq!(world.send(&used).await.status, 202);
        let post = |created: &TestResponse, body: &str| Request::post(at(created), &world.one.key, body);
        let nowhere = format!("/v1/fiscal_documents/{}/deliveries", sample::document_id(7));
        let receipt = world.token(&canceled, "receipt").await;

        let rows = vec![
            (post(&created, BODY).without("idempotency-key"), missing("idempotency-key")),
            (post(&created, "{}"), missing("recipientEmail")),
            (post(&created, r#"{"recipientEmail":"rosa"}"#), invalid("recipientEmail")),
            (post(&created, r#"{"recipientEmail":"a@b.example","x":1}"#), invalid("x")),
            (Request::post(at(&created), &token, BODY), DENIED),
            (Request::post(at(&created), &token, "{").without("idempotency-key"), DENIED),
            (Request::post(at(&created), &world.restricted().await, BODY), NOT_OWNED),
            (Request::post(nowhere, &world.one.key, BODY), NO_DOCUMENT),
            (Request::post(at(&created), &world.other.key, BODY), NO_DOCUMENT),
            (Request::post(at(&created), &receipt, BODY), NO_DOCUMENT),
            (post(&canceled, BODY), NOT_READY),
            (Request::post(at(&canceled), &receipt, BODY), NOT_READY),
        ];
        check(&world, rows).await;

        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));
        check(&world, vec![(used, EXPIRED)]).await;
    })
    .await;
}

/// The limit is checked after malformed requests and unknown documents, and before the key and the state.
#[actix_web::test]
async fn a_document_is_sent_five_times_a_day() {
    on_each_store(async |world| {
        let created = world.issued(&promised(), APPROVED_CARD).await;
        let post = || Request::post(at(&created), &world.one.key, BODY);
        let first = post().keyed("first");
        assert_eq!(world.send(&first).await.status, 202, "what was promised with the sale does not count");
        world.clock.advance(TimeDelta::hours(1));
        let receipt = world.token(&created, "receipt").await;
        assert_eq!(world.send(&Request::post(at(&created), &receipt, BODY)).await.status, 202);
        for _ in 0..3 {
            assert_eq!(world.send(&post()).await.status, 202);
        }

        let late = world.send(&post()).await;
        let limit = vec![
            (first.clone(), TOO_MANY),
            (first.clone().sending(r#"{"recipientEmail":"ana@correo.example"}"#), TOO_MANY),
            (post().sending("{}"), missing("recipientEmail")),
            (Request::post(at(&created), &world.other.key, BODY), NO_DOCUMENT),
            (Request::post(at(&created), &world.restricted().await, BODY), NOT_OWNED),
        ];
        check(&world, limit).await;

        assert_eq!(
            (late.error(), late.header("retry-after")),
            ((429, "rate_limit_exceeded".to_owned(), None), "82800")
        );
        assert!(late.header("ratelimit").starts_with("\"default\";r="), "{}", late.header("ratelimit"));
        let counted = world.send(&Request::bare("GET", "/metrics").from("127.0.0.1")).await;
        let line = r#"cobro_rate_limit_refusals_total{limit="deliveries_of_a_document"} 3"#;
        assert!(counted.text().contains(line), "{}", counted.text());
        world.clock.advance(TimeDelta::hours(23) - TimeDelta::milliseconds(1));
        let still = world.send(&post()).await;
        world.clock.advance(TimeDelta::milliseconds(1));
        let again = world.send(&first).await;
        let room = world.send(&post()).await;
        let full = world.send(&post()).await;
        assert_eq!((still.status, still.header("retry-after")), (429, "1"));
        assert_eq!((again.status, again.header("idempotent-replayed")), (202, "true"));
        assert_eq!((room.status, full.status), (202, 429));
    })
    .await;
}

/// The holder of a receipt token sends the document to an address and sees no other address.
#[actix_web::test]
async fn a_receipt_token_sees_only_the_address_that_its_holder_sent() {
    on_each_store(async |world| {
        let created = world.issued(&promised(), APPROVED_CARD).await;
        let receipt = world.token(&created, "receipt").await;
        let hidden = serde_json::json!({"email": null, "status": "waiting_for_document"});
        assert_eq!(delivery(&world, &created, &receipt).await, hidden);

        let requested = world.send(&Request::post(at(&created), &receipt, BODY)).await;

        assert_eq!((requested.status, requested.field("/email")), (202, "rosa@correo.example".to_owned()));
        assert!(!requested.text().contains("ana@"));
        assert_eq!(delivery(&world, &created, &receipt).await, hidden);
        assert_eq!(delivery(&world, &created, &world.one.key).await["email"], "rosa@correo.example");
    })
    .await;
}
