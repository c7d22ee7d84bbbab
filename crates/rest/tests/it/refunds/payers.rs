//! Refunds and credit notes as payers see them.

use serde_json::json;

use super::{ALL, UNANSWERED_CARD, amount, document, found, issue, refund};
use crate::support::{APPROVED_CARD, Request, SALE, check, on_each_store};

#[actix_web::test]
async fn a_receipt_shows_the_refunds_without_unattributed_ones() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let path = format!("/v1/payments/{}", paid.field("/id"));
        let token = world.token(&paid, "receipt").await;
        let read = async |token: &str| world.done(&Request::get(path.as_str(), token)).await;
        assert_eq!(read(&token).await.json()["refunds"], json!([]));

        let refunded = world.done(&refund(&paid, &admin, amount(118_00))).await;
        let shown = read(&token).await;

        let expected = json!([{
            "id": refunded.field("/id"), "status": "succeeded", "createdAt": refunded.field("/createdAt"),
            "totalAmount": {"currency": "DOP", "minorUnits": 118_00},
            "legs": [{"ordinal": null, "amount": {"currency": "DOP", "minorUnits": 118_00}, "status": "succeeded"}],
            "creditNote": {"id": refunded.field("/creditNote/id"), "fiscalNumber": null, "status": "issuing"},
        }]);
        assert_eq!(shown.json()["refunds"], expected);
        issue(&world, &refunded.field("/creditNote/id")).await;
        let issued = read(&token).await;
        assert_eq!(issued.json()["refunds"][0]["creditNote"]["status"], "issued");
        assert_ne!(issued.header("etag"), shown.header("etag"));
        assert!(!issued.text().contains("refundSummary"));

        assert_eq!(found(&world, &paid, 118_00).await["status"], "unattributed");
        let token = world.token(&paid, "receipt").await;
        assert_eq!(read(&token).await.json()["refunds"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[actix_web::test]
async fn a_receipt_has_another_tag_for_each_status_of_a_refund() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, UNANSWERED_CARD).await);
        let token = world.token(&paid, "receipt").await;
        let receipt = Request::get(format!("/v1/payments/{}", paid.field("/id")), &token);
        world.gate.block_responses();
        let request = refund(&paid, &admin, amount(118_00));
        let during = async {
            world.gate.until_blocked().await;
            let shown = world.done(&receipt).await;
            world.gate.stop_blocking();
            world.gate.let_one_pass();
            shown
        };

        let (refunded, processing) = futures_util::future::join(world.send(&request), during).await;
        let verifying = world.done(&receipt).await;

        assert_eq!((refunded.status, processing.field("/refunds/0/status").as_str()), (201, "processing"));
        assert_eq!(verifying.field("/refunds/0/status"), "verifying");
        assert_ne!(processing.header("etag"), verifying.header("etag"));
    })
    .await;
}

/// The holder of a receipt sees the payment with its refunds, under a tag of its own.
#[actix_web::test]
async fn a_note_is_sent_for_the_version_of_its_payment() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let note = world.done(&refund(&paid, &admin, amount(118_00))).await.field("/creditNote/id");
        issue(&world, &note).await;
        let receipt = world.token(&paid, "receipt").await;
        let recipient = r#"{"recipientEmail":"rosa@correo.example"}"#;
        let payment = format!("/v1/payments/{}", paid.field("/id"));
        let own = document(&world, &note).await.header("etag").to_owned();

        for caller in [&admin, &receipt] {
            let tag = world.done(&Request::get(payment.as_str(), caller)).await.header("etag").to_owned();
            assert_ne!(tag, own);
            let path = format!("/v1/fiscal_documents/{note}/deliveries");
            let send = |tag: &str| Request::post(path.as_str(), caller, recipient).and("if-match", tag.to_owned());
            check(&world, vec![(send(&own).keyed(own.as_str()), (412, "precondition_failed", None))]).await;
            assert_eq!(world.send(&send(&tag).keyed(tag.as_str())).await.status, 202);
        }
    })
    .await;
}

#[actix_web::test]
async fn a_receipt_opens_the_credit_notes_of_its_payment() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let another = world.issued(SALE, APPROVED_CARD).await;
        let refunded = world.done(&refund(&paid, &admin, ALL)).await;
        let note = refunded.field("/creditNote/id");
        issue(&world, &note).await;
        let path = |suffix: &str| format!("/v1/fiscal_documents/{note}{suffix}");
        let receipt = world.token(&paid, "receipt").await;

        let shown = world.done(&Request::get(path(""), &receipt)).await;

        assert_eq!((shown.field("/kind"), shown.field("/status")), ("credit_note".to_owned(), "issued".to_owned()));
        assert!(!shown.text().contains("merchantInvoiceNumber"));
        let xml = world.done(&Request::get(path("/signed-document"), &receipt)).await;
        assert!(xml.header("content-disposition").contains("E34"), "{:?}", xml.headers);
        assert!(xml.text().contains("<NCFModificado>"), "{}", xml.text());
        let pdf = world.done(&Request::get(path("/printed-representation"), &receipt)).await;
        assert!(pdf.body.starts_with(b"%PDF"));
        let recipient = r#"{"recipientEmail":"rosa@correo.example"}"#;
        let queued = world.done(&Request::post(path("/deliveries"), &receipt, recipient)).await;
        assert_eq!(queued.status, 202);
        let stranger = world.token(&another, "receipt").await;
        let unknown = (404, "fiscal_document_not_found", Some("fiscalDocumentId"));
        check(&world, vec![(Request::get(path(""), &stranger), unknown)]).await;
    })
    .await;
}

#[actix_web::test]
async fn no_choice_names_a_credit_note() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let open = world.sale(SALE).await;
        let kinds = open.json()["checkoutDisplay"]["fiscal"]["availableKinds"].clone();
        assert_eq!(kinds.as_array().unwrap().len(), 3, "{kinds}");
        let note = world.done(&refund(&paid, &admin, ALL)).await.field("/creditNote/id");
        assert_eq!(document(&world, &note).await.field("/kind"), "credit_note");
        let of_note = |field: &str| crate::support::with(SALE, field, r#""credit_note""#);
        let allowed = crate::support::with(SALE, "fiscalDocument.allowedKinds", r#"["credit_note"]"#);
        let choice = format!("/v1/payments/{}/fiscal-document-choice", open.field("/id"));
        let sale: serde_json::Value = serde_json::from_str(SALE).unwrap();
        let content = crate::support::without(&sale["fiscalDocument"].to_string(), "issuanceMode");
        let corrections = |id: &str| format!("/v1/fiscal_documents/{id}/corrections");
        let kind = crate::support::with(&content, "kind", r#""credit_note""#);
        let invalid = |param| (400, "parameter_invalid", Some(param));

        check(
            &world,
            vec![
                (Request::post("/v1/payments", &admin, of_note("fiscalDocument.kind")), invalid("fiscalDocument.kind")),
                (Request::post("/v1/payments", &admin, allowed), invalid("fiscalDocument.allowedKinds.0")),
                (Request::put(choice, &admin, r#"{"kind":"credit_note"}"#), invalid("kind")),
                (Request::post(corrections(&paid.field("/fiscalDocument/id")), &admin, kind), invalid("kind")),
                (Request::post(corrections(&note), &admin, content), (409, "fiscal_correction_not_allowed", None)),
            ],
        )
        .await;
    })
    .await;
}
