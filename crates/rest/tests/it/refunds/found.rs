//! Money that was returned at the provider's portal.

use serde_json::json;

use super::{ALL, amount, attribution, found, lines, refund, tipped};
use crate::support::{APPROVED_CARD, ExpectedError, Request, SALE, check, on_each_store, with};

#[actix_web::test]
async fn found_money_waits_for_its_attribution() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let found = found(&world, &paid, 118_00).await;
        let id = found["id"].as_str().unwrap();
        let payment = format!("/v1/payments/{}", paid.field("/id"));
        let [of_payment, of_refund] = [payment, format!("/v1/refunds/{id}")].map(|path| Request::get(path, &admin));
        let (current, own) = (world.done(&of_payment).await, world.done(&of_refund).await);
        assert_ne!(current.header("etag"), own.header("etag"));
        assert_eq!((&found["origin"], &found["status"]), (&json!("provider"), &json!("unattributed")));
        assert_eq!((&found["scope"], &found["reason"], &found["lines"]), (&json!(null), &json!(null), &json!([])));
        assert_eq!(found["legs"][0]["status"], "succeeded");

        let body = lines(r#"[{"sourceLineId":"l1","netMinorUnits":10000}]"#);
        let request = attribution(id, &admin, with(&body, "description", r#""En el portal""#));
        let for_refund = request.clone().and("if-match", own.header("etag").to_owned());
        check(&world, vec![(for_refund, (412, "precondition_failed", None))]).await;
        let request = request.and("if-match", current.header("etag").to_owned());
        let attributed = world.done(&request).await;

        let shown = attributed.json();
        assert_eq!((attributed.status, &shown["status"], &shown["scope"]), (200, &json!("succeeded"), &json!("lines")));
        assert_eq!(
            (&shown["description"], &shown["creditNote"]["kind"]),
            (&json!("En el portal"), &json!("credit_note"))
        );
        assert_eq!(shown["lines"][0]["sourceLineId"], "l1");
        assert_eq!(world.done(&request).await.body, attributed.body);
        let read = world.done(&Request::get(format!("/v1/refunds/{id}"), &world.one.key)).await;
        assert_eq!((read.header("etag"), read.body.clone()), (attributed.header("etag"), attributed.body.clone()));
        check(&world, vec![(request.without("if-match").keyed("late"), (409, "refund_not_attributable", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn an_attribution_accounts_for_exactly_the_found_money() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, tipped(&world, APPROVED_CARD).await);
        let found = found(&world, &paid, 118_00).await;
        let id = found["id"].as_str().unwrap();
        let mismatch = |param: &'static str| -> ExpectedError { (422, "fiscal_total_mismatch", Some(param)) };
        let tip = r#"{"scope":"tip","reason":"other","voluntaryTip":{"currency":"DOP","minorUnits":10000}}"#;
        let dollars = amount(118_00).replace("DOP", "USD");
        let of_tip = with(&amount(118_00), "voluntaryTip", r#"{"currency":"DOP","minorUnits":10001}"#);

        check(
            &world,
            vec![
                (attribution(id, &admin, ALL), mismatch("scope")),
                (attribution(id, &admin, tip), mismatch("scope")),
                (attribution(id, &admin, amount(118_01)), mismatch("amount.minorUnits")),
                (attribution(id, &admin, lines(r#"[{"lineNumber":1,"netMinorUnits":9999}]"#)), mismatch("lines")),
                (attribution(id, &admin, dollars), (400, "parameter_invalid", Some("amount.currency"))),
                (
                    attribution(id, &admin, lines(r#"[{"lineNumber":2,"quantity":"1"}]"#)),
                    (422, "refund_line_not_found", Some("lines.0")),
                ),
                (
                    attribution(id, &admin, of_tip),
                    (409, "refund_amount_exceeds_refundable", Some("voluntaryTip.minorUnits")),
                ),
                (
                    attribution(id, &admin, amount(118_00)).and("if-match", "\"9-9\""),
                    (412, "precondition_failed", None),
                ),
                // A new refund waits for the attribution.
                (refund(&paid, &admin, ALL), (409, "refund_in_progress", None)),
            ],
        )
        .await;
    })
    .await;
}
