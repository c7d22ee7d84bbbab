//! Headers of every response.

use app::issue_document;
use domain::FiscalDocumentId;

use crate::support::{APPROVED_CARD, Request, SALE, on_each_store};

#[actix_web::test]
async fn every_response_has_a_request_id_and_is_not_stored() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = format!("/v1/payments/{}", created.field("/id"));
        let key = world.one.key.as_str();
        let requests = [
            Request::get(&path, key),
            Request::get("/v1/nope", key),
            Request::bare("DELETE", "/v1/payments"),
            Request::bare("GET", path),
            Request::bare("GET", "/healthz"),
            Request::bare("GET", "/readyz"),
        ];

        for request in requests {
            let response = world.send(&request).await;

            response.assert_has_request_id();
            let policy = response.header("content-security-policy");
            assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'", "{request:?}");
        }
    })
    .await;
}

#[actix_web::test]
async fn a_page_has_its_own_headers_and_a_request_id() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = created.field("/nextAction/url").replace("https://pay.cobro.example", "");

        let page = world.page(&path).await;

        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        assert!(page.header("content-security-policy").contains("form-action"));
        page.assert_has_request_id();
    })
    .await;
}

#[actix_web::test]
async fn request_ids_are_unique() {
    on_each_store(async |world| {
        let request = Request::bare("GET", "/healthz");

        let (one, other) = (world.send(&request).await, world.send(&request).await);

        assert_ne!(one.header("request-id"), other.header("request-id"));
    })
    .await;
}

#[actix_web::test]
async fn the_tag_changes_with_the_money_and_with_the_document() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = format!("/v1/payments/{}", created.field("/id"));
        let get = Request::get(path, &world.one.key);
        let submission = world.submission(&created, APPROVED_CARD).await;

        let unpaid = world.send(&get).await.header("etag").to_owned();
        let unchanged = world.send(&get).await.header("etag").to_owned();
        world.send(&submission).await;
        let paid = world.send(&get).await.header("etag").to_owned();
        let document = FiscalDocumentId::parse(&created.field("/fiscalDocument/id")).unwrap();
        issue_document(&world.ports, &world.one.tenant, &document).await.unwrap();
        let issued = world.send(&get).await.header("etag").to_owned();

        assert_eq!((created.header("etag"), unpaid.as_str()), (unchanged.as_str(), unchanged.as_str()));
        assert_eq!(unpaid, r#""0-0""#);
        assert!(paid != unpaid && issued != paid && issued != unpaid, "{unpaid} {paid} {issued}");
    })
    .await;
}
