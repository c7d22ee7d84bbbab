//! Refusals that depend on the state of the sale, and on the content of a request.

use chrono::TimeDelta;

use super::{
    ALL, MALFORMED_CARD, SINGLE_CARD, UNANSWERED_CARD, UNPROCESSED_CARD, UNREFUNDABLE_CARD, amount, assert_message,
    attribution, found, left_in_part, lines, outside, preview, refund, rejected, retry, shared, tipped,
    with_a_small_line,
};
use crate::support::{APPROVED_CARD, ExpectedError, LOST_CARD, Request, SALE, World, check, on_each_store, with};

const NOT_REFUNDABLE: ExpectedError = (409, "payment_not_refundable", None);
const IN_PROGRESS: ExpectedError = (409, "refund_in_progress", None);
const UNSETTLED: ExpectedError = (409, "refund_document_unsettled", Some("scope"));
const NOT_RETRYABLE: ExpectedError = (409, "refund_not_retryable", Some("retriedRefundId"));
const UNAVAILABLE: ExpectedError = (409, "refund_not_available_at_provider", Some("settlement"));

fn exceeds(param: &'static str) -> ExpectedError {
    (409, "refund_amount_exceeds_refundable", Some(param))
}

/// Checks a refusal of the refund and of its preview.
async fn check_both(world: &World, admin: &str, rows: Vec<(&crate::support::TestResponse, String, ExpectedError)>) {
    let both = rows.iter().flat_map(|(paid, body, refusal)| {
        [(refund(paid, admin, body.clone()), *refusal), (preview(paid, admin, body.clone()), *refusal)]
    });
    check(world, both.collect()).await;
}

#[actix_web::test]
async fn money_that_is_not_there_is_not_refunded() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (unpaid, returned) = (world.sale(SALE).await, world.issued(SALE, APPROVED_CARD).await);
        world.done(&refund(&returned, &admin, ALL)).await;
        let in_doubt = world.sale(SALE).await;
        world.done(&world.submission(&in_doubt, LOST_CARD).await).await;
        let bill = world.bill(2).await;
        for (ordinal, number) in [(1, APPROVED_CARD), (2, crate::support::UNCAPTURABLE_CARD)] {
            world.submit(&bill, ordinal, number).await;
        }
        world.done(&bill.capture()).await;
        assert_eq!(world.payment(&bill).await["status"], "partially_paid");

        let in_verification = (409, "payment_awaiting_verification", None);
        check_both(
            &world,
            &admin,
            vec![
                (&unpaid, ALL.to_owned(), NOT_REFUNDABLE),
                (&returned, ALL.to_owned(), NOT_REFUNDABLE),
                (&bill.created, ALL.to_owned(), NOT_REFUNDABLE),
                (&in_doubt, ALL.to_owned(), in_verification),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn one_refund_of_a_payment_is_open_at_a_time() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (in_doubt, with_found) =
            (world.issued(SALE, UNANSWERED_CARD).await, world.issued(SALE, APPROVED_CARD).await);
        let first = world.done(&refund(&in_doubt, &admin, amount(118_00))).await;
        assert_eq!(first.field("/status"), "verifying");
        check_both(&world, &admin, vec![(&in_doubt, ALL.to_owned(), IN_PROGRESS)]).await;

        assert_eq!(found(&world, &with_found, 118_00).await["status"], "unattributed");
        check_both(&world, &admin, vec![(&with_found, ALL.to_owned(), IN_PROGRESS)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_sale_without_an_accepted_document_is_refunded_whole() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (rejected, in_part) = (rejected(&world, APPROVED_CARD).await, left_in_part(&world).await);
        let line = lines(r#"[{"lineNumber":1,"quantity":"0.50"}]"#);
        let tip = r#"{"scope":"tip","reason":"other","voluntaryTip":{"currency":"DOP","minorUnits":1}}"#.to_owned();

        check_both(
            &world,
            &admin,
            vec![
                (&rejected, amount(118_00), UNSETTLED),
                (&rejected, line.clone(), UNSETTLED),
                (&in_part, line, UNSETTLED),
                (&in_part, tip, UNSETTLED),
            ],
        )
        .await;

        let whole = world.done(&refund(&rejected, &admin, ALL)).await.json();
        assert_eq!((&whole["status"], &whole["creditNote"]), (&"succeeded".into(), &serde_json::Value::Null));
        let path = format!("/v1/fiscal_documents/{}", rejected.field("/fiscalDocument/id"));
        let canceled = world.done(&Request::get(path, &world.one.key)).await;
        assert_eq!(
            (canceled.field("/status"), canceled.field("/reason")),
            ("canceled".to_owned(), "refunded".to_owned())
        );
        let partly = world.done(&refund(&in_part, &admin, amount(90_00))).await.json();
        assert_eq!((&partly["status"], &partly["lines"]), (&"succeeded".into(), &serde_json::json!([])));
        assert_eq!(partly["legs"][0]["ordinal"], 1);
    })
    .await;
}

#[actix_web::test]
async fn only_a_failed_refund_of_the_payment_is_retried_once() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (paid, other) = (world.issued(SALE, UNREFUNDABLE_CARD).await, world.issued(SALE, APPROVED_CARD).await);
        let failed = world.done(&refund(&paid, &admin, amount(118_00))).await.field("/id");
        let succeeded = world.done(&refund(&other, &admin, amount(118_00))).await.field("/id");
        check_both(
            &world,
            &admin,
            vec![(&other, retry(&succeeded), NOT_RETRYABLE), (&other, retry(&failed), NOT_RETRYABLE)],
        )
        .await;

        world.done(&refund(&paid, &admin, outside(&amount(1_100_00)))).await;
        let gone = exceeds("retriedRefundId");
        check_both(&world, &admin, vec![(&paid, outside(&retry(&failed)), gone)]).await;
        let failed = world.done(&refund(&paid, &admin, amount(11_80))).await.field("/id");
        world.done(&refund(&paid, &admin, outside(&retry(&failed)))).await;
        check_both(&world, &admin, vec![(&paid, outside(&retry(&failed)), NOT_RETRYABLE)]).await;
    })
    .await;
}

#[actix_web::test]
async fn an_old_charge_and_a_second_refund_of_a_single_one_are_settled_outside() {
    on_each_store(async |world| {
        let (paid, single) = (world.issued(SALE, APPROVED_CARD).await, world.issued(SALE, SINGLE_CARD).await);
        let admin = world.admin().await;
        world.done(&refund(&single, &admin, amount(118_00))).await;
        let has_second = world.send(&refund(&single, &admin, amount(118_00))).await;
        assert!(has_second.status == 409 || has_second.field("/failure/code") == "already_returned");

        world.clock.advance(TimeDelta::days(184));
        let acknowledged = with(&amount(118_00), "acknowledgesItbisLoss", "true");
        check_both(&world, &admin, vec![(&paid, acknowledged.clone(), UNAVAILABLE)]).await;
        let message =
            "This was charged on 2026-03-01; the provider takes refunds until 2026-08-31. Use settlement outside.";
        let code = "refund_not_available_at_provider";
        assert_message(&world, &refund(&paid, &admin, acknowledged.clone()), (code, message)).await;
        let refunded = world.done(&refund(&paid, &admin, outside(&acknowledged))).await;
        assert_eq!(
            (refunded.field("/status"), refunded.field("/legs/0/method")),
            ("succeeded".to_owned(), "outside".to_owned())
        );
    })
    .await;
}

#[actix_web::test]
async fn a_refund_takes_at_most_the_rest() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (paid, shared) = (tipped(&world, APPROVED_CARD).await, shared(&world).await);
        let tip = |minor_units: i64| format!(r#"{{"currency":"DOP","minorUnits":{minor_units}}}"#);
        let over_tip = with(&amount(118_00), "voluntaryTip", &tip(100_01));
        let part = r#"[{"ordinal":1,"amount":{"currency":"DOP","minorUnits":59001}}]"#;
        check_both(
            &world,
            &admin,
            vec![
                (&paid, lines(r#"[{"lineNumber":1,"quantity":"1.01"}]"#), exceeds("lines.0.quantity")),
                (&paid, lines(r#"[{"lineNumber":1,"netMinorUnits":100001}]"#), exceeds("lines.0.netMinorUnits")),
                (&paid, amount(1_180_01), exceeds("amount.minorUnits")),
                (&paid, over_tip, exceeds("voluntaryTip.minorUnits")),
                (&shared, with(&amount(590_01), "parts", part), exceeds("parts.0.amount.minorUnits")),
            ],
        )
        .await;

        let code = "refund_amount_exceeds_refundable";
        let messages = [
            (&paid, lines(r#"[{"lineNumber":1,"quantity":"1.5"}]"#), "Of line 1, 1.00 of 1.00 is left."),
            (&paid, amount(1_180_01), "Of this payment 1180.00 can be given back."),
            (&paid, with(&amount(1), "voluntaryTip", &tip(100_01)), "Only 100.00 of the tip is left."),
            (&shared, with(&amount(590_01), "parts", part), "Part 1 has 590.00 left."),
        ];
        for (paid, body, message) in messages {
            assert_message(&world, &refund(paid, &admin, body), (code, message)).await;
        }
    })
    .await;
}

#[actix_web::test]
async fn lines_that_cannot_be_credited_are_named() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(&with_a_small_line(), APPROVED_CARD).await);
        world.done(&refund(&paid, &admin, lines(r#"[{"lineNumber":1,"netMinorUnits":10000}]"#))).await;
        let unknown: ExpectedError = (422, "refund_line_not_found", Some("lines.0"));
        let twice = r#"[{"lineNumber":1,"netMinorUnits":1},{"sourceLineId":"l1","netMinorUnits":1}]"#;

        check_both(
            &world,
            &admin,
            vec![
                (&paid, lines(r#"[{"sourceLineId":"nope","quantity":"1"}]"#), unknown),
                (&paid, lines(r#"[{"lineNumber":3,"quantity":"1"}]"#), unknown),
                (
                    &paid,
                    lines(r#"[{"lineNumber":1,"quantity":"0.50"}]"#),
                    (422, "refund_line_not_divisible", Some("lines.0.quantity")),
                ),
                (
                    &paid,
                    lines(r#"[{"lineNumber":2,"quantity":"0.01"}]"#),
                    (422, "fiscal_line_total_invalid", Some("lines.0")),
                ),
                (&paid, lines(twice), (400, "parameter_invalid", Some("lines.1"))),
                (&paid, amount(118_00).replace("DOP", "USD"), (400, "parameter_invalid", Some("amount.currency"))),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn parts_come_to_the_refund() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, shared(&world).await);
        let part = r#"[{"ordinal":1,"amount":{"currency":"DOP","minorUnits":4000}}]"#;
        let body = with(&amount(118_00), "parts", part);

        check_both(&world, &admin, vec![(&paid, body.clone(), (422, "refund_parts_mismatch", Some("parts")))]).await;
        let message = "The parts come to 40.00, but the refund to 118.00.";
        assert_message(&world, &refund(&paid, &admin, body), ("refund_parts_mismatch", message)).await;
    })
    .await;
}

#[actix_web::test]
async fn a_late_note_needs_an_acknowledgement() {
    on_each_store(async |world| {
        let paid = world.issued(SALE, APPROVED_CARD).await;
        world.clock.advance(TimeDelta::days(31));
        let admin = world.admin().await;
        let refused = (422, "refund_itbis_loss_unacknowledged", Some("acknowledgesItbisLoss"));

        let unacknowledged = with(ALL, "acknowledgesItbisLoss", "false");
        check(&world, vec![(refund(&paid, &admin, ALL), refused), (refund(&paid, &admin, unacknowledged), refused)])
            .await;
        let shown = world.done(&preview(&paid, &admin, ALL)).await.json();
        assert_eq!((&shown["needsAcknowledgement"], &shown["isAfterThirtyDays"]), (&true.into(), &true.into()));
        let refunded = world.done(&refund(&paid, &admin, with(ALL, "acknowledgesItbisLoss", "true"))).await.json();
        assert_eq!(refunded["isAfterThirtyDays"], true);
    })
    .await;
}

#[actix_web::test]
async fn a_found_late_return_needs_an_acknowledgement() {
    on_each_store(async |world| {
        let paid = world.issued(SALE, APPROVED_CARD).await;
        world.clock.advance(TimeDelta::days(31));
        let admin = world.admin().await;
        let found = found(&world, &paid, 118_00).await["id"].as_str().unwrap().to_owned();

        let refused = (422, "refund_itbis_loss_unacknowledged", Some("acknowledgesItbisLoss"));
        check(&world, vec![(attribution(&found, &admin, amount(118_00)), refused)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_note_needs_a_certificate() {
    on_each_store(async |world| {
        let paid = world.issued(SALE, APPROVED_CARD).await;
        world.clock.set("2027-03-02T12:00:00Z".parse().unwrap());
        let admin = world.admin().await;
        let body = outside(&with(ALL, "acknowledgesItbisLoss", "true"));

        check_both(&world, &admin, vec![(&paid, body, (422, "merchant_account_not_ready", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_refund_that_was_not_submitted_is_an_error_and_stays_listed_as_failed() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, UNPROCESSED_CARD).await);
        let request = refund(&paid, &admin, ALL);
        let unavailable = (502, "provider_unavailable".to_owned(), None);

        assert_eq!(world.send(&request).await.error(), unavailable);
        assert_eq!(world.send(&request).await.error(), unavailable);

        let path = format!("/v1/refunds?payment={}", paid.field("/id"));
        let listed = world.done(&Request::get(path, &admin)).await.json();
        let listed = listed["data"].as_array().unwrap();
        assert_eq!(listed.len(), 2, "the same key creates another");
        for refund in listed {
            assert_eq!((&refund["status"], &refund["failure"]["code"]), (&"failed".into(), &"not_submitted".into()));
        }
    })
    .await;
}

#[actix_web::test]
async fn a_refund_that_the_provider_refuses_as_a_request_is_declined() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, MALFORMED_CARD).await);

        let refused = world.done(&refund(&paid, &admin, ALL)).await;

        assert_eq!((refused.status, refused.field("/failure/code")), (201, "declined_by_provider".to_owned()));
    })
    .await;
}
