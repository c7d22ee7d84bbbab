//! Corrections of credit notes.

use serde_json::json;

use super::{ALL, correction, document, issue, refund};
use crate::support::{APPROVED_CARD, ExpectedError, Request, SALE, TestResponse, World, check, on_each_store, with};

const NOT_ALLOWED: ExpectedError = (409, "fiscal_correction_not_allowed", None);

/// Returns a refund whose credit note the authority rejects, and the note.
async fn rejected_note(world: &World, admin: &str) -> (String, String) {
    let sale = with(SALE, "fiscalDocument.merchantInvoiceNumber", r#""NC-RJ-1""#);
    let paid = world.issued(&sale, APPROVED_CARD).await;
    let refunded = world.done(&refund(&paid, admin, ALL)).await;
    let note = refunded.field("/creditNote/id");
    issue(world, &note).await;
    assert_eq!(document(world, &note).await.field("/status"), "rejected");
    (refunded.field("/id"), note)
}

#[actix_web::test]
async fn a_rejected_credit_note_is_issued_again_with_another_text() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (id, note) = rejected_note(&world, &admin).await;
        let request = correction(&id, &admin, r#"{"description":"Plato devuelto"}"#);

        let corrected = world.done(&request).await;

        assert_eq!((corrected.status, corrected.field("/object")), (201, "fiscal_document".to_owned()));
        assert_eq!((corrected.field("/id"), &corrected.json()["revision"]), (note.clone(), &json!(2)));
        let read = document(&world, &note).await;
        assert_eq!(read.header("etag"), corrected.header("etag"));
        let shown = world.done(&Request::get(format!("/v1/refunds/{id}"), &world.one.key)).await;
        assert_eq!(shown.field("/description"), "Plato devuelto");
        issue(&world, &note).await;
        assert_eq!(document(&world, &note).await.field("/status"), "issued");
        let replayed = world.done(&request).await;
        assert_eq!(replayed.body, corrected.body);
        check(&world, vec![(correction(&id, &admin, "{}"), NOT_ALLOWED)]).await;
        let revisions = format!("/v1/fiscal_documents/{note}/revisions");
        let revisions = world.done(&Request::get(revisions, &world.one.key)).await.json();
        assert_eq!(
            (revisions["data"].as_array().unwrap().len(), &revisions["data"][0]["kind"]),
            (1, &json!("credit_note"))
        );
    })
    .await;
}

#[actix_web::test]
async fn a_correction_needs_a_rejected_note_and_the_version_of_the_payment() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (id, _) = rejected_note(&world, &admin).await;
        let paid = world.issued(SALE, APPROVED_CARD).await;
        let refunded = world.done(&refund(&paid, &admin, ALL)).await;
        let corrected = world.done(&Request::get(format!("/v1/refunds/{id}"), &admin)).await;
        let payment = format!("/v1/payments/{}", corrected.field("/paymentId"));
        let current = world.done(&Request::get(payment, &admin)).await;
        let failed: ExpectedError = (412, "precondition_failed", None);

        let for_tag = |tag: &str| correction(&id, &admin, "{}").keyed(tag).and("if-match", tag.to_owned());
        let of = |response: &TestResponse| response.header("etag").to_owned();
        assert_ne!(of(&current), of(&corrected));
        let wrong = ["\"9-9\"".to_owned(), of(&corrected)];
        let mut rows = vec![(correction(&refunded.field("/id"), &admin, "{}"), NOT_ALLOWED)];
        rows.extend(wrong.iter().map(|tag| (for_tag(tag), failed)));
        check(&world, rows).await;
        let right = for_tag(&of(&current));
        assert_eq!(world.send(&right).await.status, 201);
    })
    .await;
}
