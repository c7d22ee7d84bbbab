//! Downloads of signed documents.

use chrono::TimeDelta;
use ports::DocumentSigner;
use xml_signer::XmlSigner;

use crate::support::{APPROVED_CARD, Request, SALE, on_each_store, with};

#[actix_web::test]
async fn a_signed_document_is_returned_whole_for_any_range() {
    on_each_store(async |world| {
        let created = world.issued(SALE, APPROVED_CARD).await;
        let path = format!("/v1/fiscal_documents/{}/signed-document", created.field("/fiscalDocument/id"));
        let plain = Request::get(path, &world.one.key);
        let odd = plain.clone().and("accept", "text/html").and("range", "bytes=0-9").and("if-none-match", "*");

        for request in [plain, odd] {
            let response = world.send(&request).await;

            assert_eq!((response.status, response.header("content-type")), (200, "application/xml"));
            assert_eq!(response.header("content-disposition"), r#"attachment; filename="E320000000001.xml""#);
            response.assert_has_request_id();
            let signatory = XmlSigner::new().verify(&response.body).await.unwrap();
            assert!(signatory.subject.contains("Rosa Prueba"), "{}", signatory.subject);
        }
    })
    .await;
}

#[actix_web::test]
async fn a_printed_representation_has_the_hash_and_number_of_its_document() {
    on_each_store(async |world| {
        let created = world.issued(SALE, APPROVED_CARD).await;
        let path = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
        let document = world.done(&Request::get(&path, &world.one.key)).await.json();
        let printed = &document["artifacts"]["printedRepresentation"];

        let plain = Request::get(format!("{path}/printed-representation"), &world.one.key);
        let odd = plain.clone().and("accept", "text/html").and("range", "bytes=0-9").and("if-none-match", "*");
        for request in [plain.clone(), odd] {
            let response = world.send(&request).await;

            assert_eq!((response.status, response.header("content-type")), (200, "application/pdf"));
            assert_eq!(response.header("content-disposition"), r#"attachment; filename="E320000000001.pdf""#);
            response.assert_has_request_id();
            assert!(response.body.starts_with(b"%PDF-1.7"));
            let digest = world.ports.vault.digest(&response.body);
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((&printed["sha256"], &printed["sizeBytes"]), (&digest.into(), &response.body.len().into()));
        }
        world.artifact_store.corrupt();
        let spoiled = world.send(&plain).await;
        assert_eq!(spoiled.error(), (503, "fiscal_artifact_retrieval_unavailable".to_owned(), None));
    })
    .await;
}

#[actix_web::test]
async fn the_holder_of_a_receipt_gets_the_same_bytes_until_the_retention_is_over() {
    on_each_store(async |world| {
        let created = world.issued(SALE, APPROVED_CARD).await;
        let paths = ["signed-document", "printed-representation"]
            .map(|it| format!("/v1/fiscal_documents/{}/{it}", created.field("/fiscalDocument/id")));
        let receipt = world.token(&created, "receipt").await;
        for path in &paths {
            let of_merchant = world.send(&Request::get(path, &world.one.key)).await;
            let of_payer = world.send(&Request::get(path, &receipt)).await;
            assert_eq!((of_payer.status, of_payer.body), (200, of_merchant.body));
        }
        world.clock.advance(TimeDelta::days(90) - TimeDelta::minutes(30));
        let receipt = world.token(&created, "receipt").await;
        world.clock.advance(TimeDelta::minutes(45));

        for path in &paths {
            let late = world.send(&Request::get(path, &receipt)).await;
            assert_eq!(late.error(), (410, "receipt_retention_elapsed".to_owned(), None));
            let still = world.send(&Request::get(path, &world.one.key)).await;
            assert_eq!(still.status, 200);
        }
    })
    .await;
}

/// The API returns the text as sent; the document contains the canonical number.
#[actix_web::test]
async fn a_quantity_is_returned_as_sent_and_issued_in_canonical_form() {
    on_each_store(async |world| {
        for (sent, issued) in
            [("0000000000000001", "1"), ("01.00", "1.00"), ("1.0", "1.0"), ("0000000000000001.00", "1.00")]
        {
            let sale = with(SALE, "fiscalDocument.lines.0.quantity", &format!("\"{sent}\""));
            let created = world.issued(&sale, APPROVED_CARD).await;
            let document = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
            let shown = world.done(&Request::get(&document, &world.one.key)).await;
            let signed = world.done(&Request::get(format!("{document}/signed-document"), &world.one.key)).await;
            let xml = signed.text();

            assert_eq!(shown.field("/lines/0/quantity"), sent);
            assert!(xml.contains(&format!("<CantidadItem>{issued}</CantidadItem>")), "{xml}");
        }
    })
    .await;
}
