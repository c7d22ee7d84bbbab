//! Refunds over HTTP, from the request to the credit note.

use serde_json::json;

use super::{
    ALL, UNANSWERED_CARD, UNREFUNDABLE_CARD, UNVOIDABLE_CARD, amount, document, issue, lines, outside, refund, retry,
    shared, summary, tipped,
};
use crate::support::{APPROVED_CARD, Request, SALE, check, on_each_store, with};

#[actix_web::test]
async fn a_whole_sale_is_refunded_with_its_credit_note() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, tipped(&world, APPROVED_CARD).await);
        let body = with(&with(ALL, "refundReference", r#""dev-1""#), "metadata", r#"{"agent":"Ana"}"#);

        let refunded = world.done(&refund(&paid, &admin, body)).await;

        assert_eq!(refunded.status, 201);
        let shown = refunded.json();
        assert_eq!(
            (&shown["status"], &shown["scope"], &shown["origin"]),
            (&json!("succeeded"), &json!("all"), &json!("merchant"))
        );
        assert_eq!(shown["totalAmount"], json!({"currency": "DOP", "minorUnits": 1_280_00}));
        assert_eq!(shown["returned"]["voluntaryTip"]["minorUnits"], 100_00);
        assert_eq!(
            shown["lines"],
            json!([{"lineNumber": 1, "sourceLineId": "l1", "quantity": "1", "netMinorUnits": 1_000_00}])
        );
        assert_eq!((&shown["legs"][0]["method"], &shown["legs"][0]["status"]), (&json!("void"), &json!("succeeded")));
        assert_eq!((&shown["metadata"], &shown["refundReference"]), (&json!({"agent": "Ana"}), &json!("dev-1")));
        assert_eq!(shown["creditNote"]["status"], "issuing");
        let note = refunded.field("/creditNote/id");
        issue(&world, &note).await;
        let issued = document(&world, &note).await.json();
        assert_eq!((&issued["status"], &issued["kind"]), (&json!("issued"), &json!("credit_note")));
        assert!(issued["fiscalNumber"].as_str().unwrap().starts_with("E34"), "{issued}");
        assert_eq!(issued["modifies"]["modification"], "cancels");
        let original = document(&world, &paid.field("/fiscalDocument/id")).await.json();
        assert_eq!((&original["creditedMinorUnits"], &original["modifies"]), (&json!(1_180_00), &json!(null)));
        let summary = summary(&world, &paid).await;
        assert_eq!((&summary["refundedAmount"]["minorUnits"], &summary["refundCount"]), (&json!(1_280_00), &json!(1)));
        assert_eq!(summary["refundableAmount"]["minorUnits"], 0);
    })
    .await;
}

#[actix_web::test]
async fn a_refund_is_read_and_listed_with_its_entity_tag() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let first = world.done(&refund(&paid, &admin, with(&amount(118_00), "refundReference", r#""a b""#))).await;
        let second = world.done(&refund(&paid, &admin, outside(&amount(118_00)))).await;
        let path = |id: &str| format!("/v1/refunds/{id}");

        let read = world.done(&Request::get(path(&first.field("/id")), &world.one.key)).await;

        assert_eq!((read.status, read.json()), (200, first.json()));
        assert_eq!(read.header("etag"), first.header("etag"));
        issue(&world, &first.field("/creditNote/id")).await;
        let issued = world.done(&Request::get(path(&first.field("/id")), &world.one.key)).await;
        assert_ne!(issued.header("etag"), read.header("etag"), "the refund shows the credit note");
        let list = async |query: &str| {
            let path = format!("/v1/refunds?payment={}{query}", paid.field("/id"));
            let data = world.done(&Request::get(path, &world.one.key)).await.json()["data"].clone();
            data.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let (one, two) = (first.field("/id"), second.field("/id"));
        assert_eq!(list("").await, [two.clone(), one.clone()]);
        assert_eq!(list("&status=succeeded").await, [two, one.clone()]);
        assert_eq!(list("&refundReference=a+b").await, [one]);
        assert_eq!(list("&status=failed").await, Vec::<String>::new());
        let unknown = format!("/v1/refunds?payment={}", testkit::sample::payment_id(7));
        let unknown = world.done(&Request::get(unknown, &world.one.key)).await;
        assert_eq!(unknown.json()["data"], json!([]));
        let other = world.done(&Request::get("/v1/refunds", &world.other.key)).await;
        assert_eq!(other.json()["data"], json!([]));
        let restricted = world.done(&Request::get("/v1/refunds", &world.restricted().await)).await;
        assert_eq!(restricted.json()["data"], json!([]));
    })
    .await;
}

#[actix_web::test]
async fn lines_and_parts_are_refunded_to_the_cards_that_paid() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, shared(&world).await);
        let body = lines(r#"[{"lineNumber":1,"netMinorUnits":10000}]"#);
        let parts = r#"[{"ordinal":2,"amount":{"currency":"DOP","minorUnits":11800}}]"#;

        let refunded = world.done(&refund(&paid, &admin, with(&body, "parts", parts))).await.json();

        assert_eq!(refunded["legs"].as_array().unwrap().len(), 1);
        assert_eq!(
            (&refunded["legs"][0]["ordinal"], &refunded["legs"][0]["itbis"]["minorUnits"]),
            (&json!(2), &json!(1800))
        );
        assert_eq!(refunded["legs"][0]["paymentMethodSummary"]["kind"], "card");
        assert_eq!(refunded["lines"][0]["quantity"], json!(null));
        assert_eq!(refunded["creditNote"]["lines"][0]["unitPriceMinorUnits"], 100_00);
        assert_eq!(refunded["breakdown"]["totalMinorUnits"], 118_00);
    })
    .await;
}

#[actix_web::test]
async fn a_declined_refund_is_not_an_error_and_is_settled_outside_by_a_retry() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, UNREFUNDABLE_CARD).await);

        let failed = world.done(&refund(&paid, &admin, ALL)).await;
        assert_eq!((failed.status, failed.field("/status")), (201, "failed".to_owned()));
        assert_eq!(failed.field("/failure/code"), "declined_by_provider");
        assert_eq!((&failed.json()["lines"], &failed.json()["creditNote"]), (&json!([]), &json!(null)));
        let body = outside(&retry(&failed.field("/id")));
        let body = with(&body, "settlementReference", r#""caja-2""#);
        let retried = world.done(&refund(&paid, &admin, body)).await.json();

        assert_eq!((&retried["status"], &retried["scope"]), (&json!("succeeded"), &json!("retry")));
        assert_eq!((&retried["settlement"], &retried["settlementReference"]), (&json!("outside"), &json!("caja-2")));
        assert_eq!(
            (&retried["retriedRefundId"], &retried["legs"][0]["method"]),
            (&json!(failed.field("/id")), &json!("outside"))
        );
    })
    .await;
}

#[actix_web::test]
async fn a_refund_of_unknown_outcome_is_verified() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, UNANSWERED_CARD).await);

        let refunded = world.done(&refund(&paid, &admin, ALL)).await;

        assert_eq!((refunded.status, refunded.field("/status")), (201, "verifying".to_owned()));
        assert!(refunded.json()["verification"]["nextCheckAt"].is_string());
        assert_eq!(summary(&world, &paid).await["pendingAmount"]["minorUnits"], 1_180_00);
    })
    .await;
}

#[actix_web::test]
async fn a_refused_void_becomes_a_refund() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, UNVOIDABLE_CARD).await);

        let refunded = world.done(&refund(&paid, &admin, ALL)).await;

        assert_eq!(refunded.field("/status"), "succeeded");
        assert_eq!(refunded.field("/legs/0/method"), "refund");
    })
    .await;
}

#[actix_web::test]
async fn a_refund_is_replayed_under_its_key_alone() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let request = refund(&paid, &admin, amount(118_00));
        let first = world.done(&request).await;

        let again = world.done(&request).await;

        assert_eq!((again.body.clone(), again.header("idempotent-replayed")), (first.body.clone(), "true"));
        assert_eq!((again.header("etag"), again.status), (first.header("etag"), 201));
        let reused = (409, "idempotency_key_reused", Some("idempotency-key"));
        check(&world, vec![(request.clone().sending(amount(236_00)), reused)]).await;
        let second = world.done(&request.keyed("another")).await;
        assert_ne!(second.field("/id"), first.field("/id"), "two equal refunds are legal");
    })
    .await;
}
