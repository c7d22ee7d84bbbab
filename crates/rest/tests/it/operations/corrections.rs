use chrono::TimeDelta;
use sandbox::{Fault, Target, demo_buyers};
use testkit::sample;

use super::{DENIED, EXPIRED, ExpectedError, NOT_OWNED, check_replay, invalid, missing};
use crate::support::{APPROVED_CARD, Request, SALE, TestResponse, World, check, on_each_store, with, without};

const NO_DOCUMENT: ExpectedError = (404, "fiscal_document_not_found", Some("fiscalDocumentId"));

/// Content of the document of [`SALE`], with another invoice number.
fn correction() -> String {
    let sale: serde_json::Value = serde_json::from_str(SALE).unwrap();
    let whole = with(&sale["fiscalDocument"].to_string(), "merchantInvoiceNumber", r#""INV-2""#);
    without(&whole, "issuanceMode")
}

/// A sale with a rejected document.
async fn refused(world: &World) -> TestResponse {
    refused_of(world, SALE).await
}

async fn refused_of(world: &World, body: &str) -> TestResponse {
    let created = world.issued(&with(body, "fiscalDocument.merchantInvoiceNumber", r#""RJ-1""#), APPROVED_CARD).await;
    assert_eq!(document(world, &created).await.field("/status"), "rejected");
    created
}

async fn document(world: &World, created: &TestResponse) -> TestResponse {
    let path = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
    world.send(&Request::get(path, &world.one.key)).await
}

fn at(created: &TestResponse) -> String {
    format!("/v1/fiscal_documents/{}/corrections", created.field("/fiscalDocument/id"))
}

#[actix_web::test]
async fn a_refused_document_is_corrected_and_issued_as_its_second_revision() {
    on_each_store(async |world| {
        let created = refused(&world).await;
        let request = Request::post(at(&created), &world.one.key, correction());

        let corrected =
            check_replay(&world, &request, &with(&correction(), "merchantInvoiceNumber", r#""INV-3""#)).await;
        world.issue(&created).await;
        let issued = document(&world, &created).await;

        assert_eq!((corrected.status, corrected.field("/object")), (201, "fiscal_document".to_owned()));
        assert_eq!(corrected.json()["revision"], 2);
        assert_eq!((issued.field("/status"), issued.field("/id")), ("issued".to_owned(), corrected.field("/id")));
        assert_eq!(
            (&issued.json()["revision"], issued.field("/merchantInvoiceNumber")),
            (&2.into(), "INV-2".to_owned())
        );
        check(&world, vec![(request.clone().keyed("late"), (409, "fiscal_correction_not_allowed", None))]).await;
        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));
        check(&world, vec![(request, EXPIRED)]).await;
    })
    .await;
}

/// A document that the authority rejects twice, with all revisions.
#[actix_web::test]
async fn earlier_revisions_of_a_document_are_listed() {
    on_each_store(async |world| {
        let created = refused(&world).await;
        let list = |query: &str| Request::get(format!("{}{query}", revisions_of(&created)), &world.one.key);
        let before = world.send(&list("")).await;
        let first = document(&world, &created).await.json();
        let dinner = with(&correction(), "lines.0.description", r#""Almuerzo""#);
        assert_eq!(world.send(&Request::post(at(&created), &world.one.key, dinner.as_str())).await.status, 201);
        world.issue(&created).await;

        let after = world.send(&list("")).await;

        assert_eq!((before.status, &before.json()["data"]), (200, &serde_json::json!([])));
        assert_eq!((after.status, &after.json()["data"]), (200, &serde_json::json!([first])));
        assert_eq!((&after.json()["object"], &after.json()["hasMore"]), (&"list".into(), &false.into()));
        assert_eq!((first["revision"].as_u64(), first["status"].as_str()), (Some(1), Some("rejected")));
        let next = after.field("/nextCursor");
        assert_eq!(world.send(&list(&format!("?cursor={next}"))).await.json()["data"], serde_json::json!([]));

        let receipt = world.token(&created, "receipt").await;
        let nowhere = format!("/v1/fiscal_documents/{}/revisions", sample::document_id(7));
        let elsewhere = Request::get(format!("/v1/payments?cursor={next}"), &world.one.key);
        let rows = vec![
            (list("?limit=0"), invalid("limit")),
            (list("?cursor=x"), invalid("cursor")),
            (elsewhere, invalid("cursor")),
            (list("?kind=consumer"), invalid("kind")),
            (Request::get(revisions_of(&created), &receipt), DENIED),
            (Request::get(revisions_of(&created), &world.restricted().await), NOT_OWNED),
            (Request::get(revisions_of(&created), &world.other.key), NO_DOCUMENT),
            (Request::get(nowhere, &world.one.key), NO_DOCUMENT),
        ];
        check(&world, rows).await;
    })
    .await;
}

fn revisions_of(created: &TestResponse) -> String {
    format!("/v1/fiscal_documents/{}/revisions", created.field("/fiscalDocument/id"))
}

#[actix_web::test]
async fn an_invalid_correction_is_refused() {
    on_each_store(async |world| {
        let created = refused(&world).await;
        let receipt = world.token(&created, "receipt").await;
        let post = |body: &str| Request::post(at(&created), &world.one.key, body);
        let to = |path: &str, value: &str| post(&with(&correction(), path, value));
        let line = |field: &str, value: &str| to(&format!("lines.0.{field}"), value);
        let nowhere = format!("/v1/fiscal_documents/{}/corrections", sample::document_id(7));

        let rows = vec![
            (post(&correction()).without("idempotency-key"), missing("idempotency-key")),
            (post(&without(&correction(), "kind")), missing("kind")),
            (to("issuanceMode", r#""deferred""#), invalid("issuanceMode")),
            (Request::post(at(&created), &receipt, correction()), DENIED),
            (Request::post(at(&created), &world.restricted().await, correction()), NOT_OWNED),
            (Request::post(nowhere, &world.one.key, correction()), NO_DOCUMENT),
            (Request::post(at(&created), &world.other.key, correction()), NO_DOCUMENT),
            (to("lines", "[]"), (400, "fiscal_lines_required", Some("lines"))),
            (line("taxTreatment", r#""non_billable""#), (400, "fiscal_lines_required", Some("lines"))),
            (to("merchantOrderNumber", r#""12a""#), invalid("merchantOrderNumber")),
            (
                line("unitPriceMinorUnits", "100000000000000001"),
                (400, "fiscal_line_total_invalid", Some("lines.0.unitPriceMinorUnits")),
            ),
            (
                line("unitPriceMinorUnits", "-1"),
                (400, "fiscal_line_total_invalid", Some("lines.0.unitPriceMinorUnits")),
            ),
            (
                to("buyer", r#"{"identityKind":"domestic","taxId":"1"}"#),
                (400, "fiscal_buyer_tax_id_invalid", Some("buyer.taxId")),
            ),
            (to("kind", r#""fiscal_credit""#), (409, "fiscal_buyer_required", Some("buyer"))),
            (line("unitPriceMinorUnits", "100001"), (422, "fiscal_total_mismatch", Some("lines"))),
            (
                post(&with(&with(&correction(), "lines.0.quantity", r#""0.01""#), "lines.0.unitPriceMinorUnits", "1")),
                (422, "fiscal_line_total_invalid", Some("lines.0")),
            ),
            (
                to("governmentEligibility", r#"{"entityKind":"central_government","authorityReference":"A-1"}"#),
                (422, "fiscal_government_eligibility_not_allowed", Some("governmentEligibility")),
            ),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn a_correction_is_refused_for_its_kind_and_its_tip() {
    on_each_store(async |world| {
        let narrow = refused_of(&world, &with(SALE, "fiscalDocument.allowedKinds", r#"["consumer"]"#)).await;
        let created = refused(&world).await;
        let buyer = format!(r#"{{"identityKind":"domestic","taxId":"{}"}}"#, demo_buyers().company);
        let credit = with(&with(&correction(), "buyer", &buyer), "kind", r#""fiscal_credit""#);
        let billed = serde_json::from_str::<serde_json::Value>(&correction()).unwrap()["lines"][0].to_string();
        let non_billable = with(&with(&billed, "taxTreatment", r#""non_billable""#), "isLegalTipApplicable", "true");
        let tipped = with(&correction(), "lines", &format!("[{billed},{non_billable}]"));
        let post = |created: &TestResponse, body: &str| Request::post(at(created), &world.one.key, body);

        let rows = vec![
            (post(&narrow, &credit), (422, "fiscal_document_kind_not_allowed", Some("kind"))),
            (post(&created, &tipped), (422, "fiscal_line_legal_tip_invalid", Some("lines.1.isLegalTipApplicable"))),
        ];
        check(&world, rows).await;

        // Every range of numbers has expired.
        world.clock.set("2028-02-01T12:00:00Z".parse().unwrap());
        // The correction is accepted, and the document waits for numbers.
        assert_eq!(world.send(&post(&created, &credit)).await.status, 201);
    })
    .await;
}

#[actix_web::test]
async fn a_correction_is_refused_for_its_buyer() {
    on_each_store(async |world| {
        let created = refused(&world).await;
        let of = |kind: &str, tax_id: &str| {
            let buyer = format!(r#"{{"identityKind":"domestic","taxId":"{tax_id}"}}"#);
            with(&with(&correction(), "buyer", &buyer), "kind", &format!("\"{kind}\""))
        };
        let post = |body: &str| Request::post(at(&created), &world.one.key, body);
        let eligibility = r#"{"entityKind":"central_government","authorityReference":"A-1"}"#;
        let buyers = demo_buyers();
        let field = Some("buyer.taxId");

        let rows = vec![
            (post(&of("fiscal_credit", buyers.unknown)), (422, "fiscal_buyer_not_registered", field)),
            (post(&of("fiscal_credit", buyers.suspended)), (422, "fiscal_buyer_inactive", field)),
            (post(&of("fiscal_credit", sample::tax_id().as_str())), (422, "fiscal_buyer_is_issuer", field)),
            (
                post(&of("government", buyers.government)),
                (422, "fiscal_government_eligibility_required", Some("governmentEligibility")),
            ),
            (
                post(&with(&of("government", buyers.company), "governmentEligibility", eligibility)),
                (422, "fiscal_buyer_not_government_entity", field),
            ),
        ];

        check(&world, rows).await;
        world.faults.inject(Target::Directory, Fault::BeforeRequest, 1).unwrap();
        let request = post(&of("fiscal_credit", buyers.company));
        check(&world, vec![(request.clone(), (503, "taxpayer_directory_unavailable", field))]).await;
        assert_eq!(world.send(&request).await.status, 201);
    })
    .await;
}

#[actix_web::test]
async fn only_a_rejected_document_is_corrected() {
    on_each_store(async |world| {
        let (open, issued) = (world.sale(SALE).await, world.issued(SALE, APPROVED_CARD).await);

        let not_allowed = (409, "fiscal_correction_not_allowed", None);
        let rows = [open, issued].map(|it| (Request::post(at(&it), &world.one.key, correction()), not_allowed));

        check(&world, rows.to_vec()).await;
    })
    .await;
}
