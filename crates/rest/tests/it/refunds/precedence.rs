//! Requests that break two rules of refunds: the first in the published order is reported.

use chrono::TimeDelta;
use testkit::sample;

use super::{
    ALL, UNANSWERED_CARD, amount, attribution, correction, found, lines, outside, preview, refund, rejected, retry,
    shared, tipped,
};
use crate::support::{APPROVED_CARD, ExpectedError, LOST_CARD, Request, SALE, check, on_each_store, with};

const NOT_PERMITTED: ExpectedError = (403, "refund_not_permitted", None);
const REUSED: ExpectedError = (409, "idempotency_key_reused", Some("idempotency-key"));

fn exceeds(param: &'static str) -> ExpectedError {
    (409, "refund_amount_exceeds_refundable", Some(param))
}

fn part(ordinal: u8, minor_units: i64) -> String {
    format!(r#"[{{"ordinal":{ordinal},"amount":{{"currency":"DOP","minorUnits":{minor_units}}}}}]"#)
}

#[actix_web::test]
async fn permission_then_syntax_then_names_then_key_is_reported() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let used = refund(&paid, &admin, amount(118_00)).keyed("used");
        let id = world.done(&used).await.field("/id");
        let restricted = world.restricted().await;
        let garbage = |request: Request| request.without("idempotency-key").sending("{");
        let nowhere = |request: Request| {
            let target = request.target.replace(&paid.field("/id"), sample::payment_id(7).as_str());
            Request { target, ..request }
        };
        let lacks_its_key = (400, "parameter_missing", Some("idempotency-key"));
        let by = |key: &str, request: Request| request.with("authorization", format!("Bearer {key}"));

        check(
            &world,
            vec![
                (garbage(by(&world.one.key, used.clone())), NOT_PERMITTED),
                (garbage(correction(&id, &world.one.key, "{}")), NOT_PERMITTED),
                (garbage(attribution("x", &world.one.key, ALL)), NOT_PERMITTED),
                (nowhere(garbage(used.clone())), lacks_its_key),
                (nowhere(used.clone().sending("{}")), (400, "parameter_missing", Some("scope"))),
                (nowhere(preview(&paid, &admin, "{}")), (400, "parameter_missing", Some("scope"))),
                (attribution("x", &admin, "{}"), (400, "parameter_missing", Some("scope"))),
                // Names come before the key.
                (nowhere(used.clone().sending(ALL)), (404, "payment_not_found", Some("paymentId"))),
                (by(&restricted, used.clone().sending(ALL)), (403, "merchant_account_not_owned", None)),
                (attribution("x", &admin, ALL).keyed("used"), (404, "refund_not_found", Some("refundId"))),
                // The key comes before the names in the body.
                (used.clone().sending(with(ALL, "parts", &part(1, 1))), REUSED),
                (used.clone().sending(retry("x")), REUSED),
                (attribution(&id, &admin, ALL).keyed("used"), REUSED),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn names_in_the_body_then_rules_then_the_version_then_the_state_are_reported() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (unpaid, paid, shared) =
            (world.sale(SALE).await, world.issued(SALE, APPROVED_CARD).await, shared(&world).await);
        let in_doubt = world.sale(SALE).await;
        world.done(&world.submission(&in_doubt, LOST_CARD).await).await;
        let dollars = amount(118_00).replace("DOP", "USD");
        let stale = |request: Request| request.and("if-match", "\"9-9\"");
        let no_split: ExpectedError = (404, "payment_split_not_found", Some("parts"));
        let in_dollars: ExpectedError = (400, "parameter_invalid", Some("amount.currency"));
        let failed: ExpectedError = (412, "precondition_failed", None);

        check(
            &world,
            vec![
                (refund(&paid, &admin, with(&dollars, "parts", &part(1, 11800))), no_split),
                (preview(&paid, &admin, with(&dollars, "parts", &part(1, 11800))), no_split),
                (
                    refund(&shared, &admin, with(&dollars, "parts", &part(3, 11800))),
                    (404, "payment_part_not_found", Some("parts.0.ordinal")),
                ),
                (refund(&unpaid, &admin, retry("x")), (404, "refund_not_found", Some("retriedRefundId"))),
                (stale(refund(&unpaid, &admin, dollars.clone())), in_dollars),
                (preview(&unpaid, &admin, dollars), in_dollars),
                (stale(refund(&in_doubt, &admin, ALL)), failed),
                (stale(refund(&unpaid, &admin, ALL)), failed),
                // Nothing of a payment in verification is captured.
                (refund(&in_doubt, &admin, ALL), (409, "payment_awaiting_verification", None)),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn the_payment_then_the_refund_then_other_refunds_are_reported() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (returned, in_doubt) = (world.issued(SALE, APPROVED_CARD).await, rejected(&world, UNANSWERED_CARD).await);
        assert_eq!(found(&world, &returned, 1_180_00).await["status"], "unattributed");
        let ended = tipped(&world, UNANSWERED_CARD).await;
        let tip = r#"{"scope":"tip","reason":"other","settlement":"outside","voluntaryTip":{"currency":"DOP","minorUnits":1}}"#;
        let settled = world.done(&refund(&ended, &admin, tip)).await.field("/id");
        for paid in [&in_doubt, &ended] {
            assert_eq!(world.done(&refund(paid, &admin, ALL)).await.field("/status"), "verifying");
        }

        check(
            &world,
            vec![
                (refund(&returned, &admin, ALL), (409, "payment_not_refundable", None)),
                (attribution(&settled, &admin, amount(1)), (409, "refund_not_attributable", None)),
                (refund(&in_doubt, &admin, amount(118_00)), (409, "refund_in_progress", None)),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn the_document_then_the_retried_refund_then_the_provider_are_reported() {
    on_each_store(async |world| {
        let (rejected, paid) = (rejected(&world, APPROVED_CARD).await, world.issued(SALE, APPROVED_CARD).await);
        let admin = world.admin().await;
        let ended = world.done(&refund(&paid, &admin, amount(118_00))).await.field("/id");
        world.clock.advance(TimeDelta::days(184));
        let admin = world.admin().await;

        check(
            &world,
            vec![
                (refund(&rejected, &admin, amount(118_00)), (409, "refund_document_unsettled", Some("scope"))),
                (refund(&paid, &admin, retry(&ended)), (409, "refund_not_retryable", Some("retriedRefundId"))),
                (
                    refund(&paid, &admin, amount(9_999_00)),
                    (409, "refund_not_available_at_provider", Some("settlement")),
                ),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn tip_then_lines_then_amount_then_parts_are_reported() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (paid, shared) = (tipped(&world, APPROVED_CARD).await, shared(&world).await);
        let over_tip = |body: &str| with(body, "voluntaryTip", r#"{"currency":"DOP","minorUnits":10001}"#);
        let over_lines = lines(r#"[{"lineNumber":1,"quantity":"2"}]"#);

        check(
            &world,
            vec![
                (refund(&paid, &admin, over_tip(&over_lines)), exceeds("voluntaryTip.minorUnits")),
                (refund(&paid, &admin, over_tip(&amount(9_999_00))), exceeds("voluntaryTip.minorUnits")),
                (refund(&shared, &admin, with(&over_lines, "parts", &part(1, 59001))), exceeds("lines.0.quantity")),
                (
                    refund(&shared, &admin, with(&amount(9_999_00), "parts", &part(1, 59001))),
                    exceeds("amount.minorUnits"),
                ),
                // A line that is refused later does not hide one that exceeds the rest.
                (
                    refund(
                        &paid,
                        &admin,
                        lines(r#"[{"sourceLineId":"nope","quantity":"1"},{"lineNumber":1,"quantity":"2"}]"#),
                    ),
                    exceeds("lines.1.quantity"),
                ),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn the_rest_then_the_account_then_the_lines_are_reported() {
    on_each_store(async |world| {
        let paid = world.issued(SALE, APPROVED_CARD).await;
        world.clock.set("2027-03-02T12:00:00Z".parse().unwrap());
        let admin = world.admin().await;

        check(
            &world,
            vec![
                (refund(&paid, &admin, outside(&amount(9_999_00))), exceeds("amount.minorUnits")),
                (
                    refund(&paid, &admin, outside(&lines(r#"[{"lineNumber":9,"quantity":"1"}]"#))),
                    (422, "merchant_account_not_ready", None),
                ),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn lines_in_order_then_the_total_then_the_parts_then_the_acknowledgement_are_reported() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, shared(&world).await);
        world.done(&refund(&paid, &admin, lines(r#"[{"lineNumber":1,"netMinorUnits":10000}]"#))).await;
        world.clock.advance(TimeDelta::days(31));
        let admin = world.admin().await;
        let by_quantity = r#"{"lineNumber":1,"quantity":"0.10"}"#;
        let unknown = r#"{"lineNumber":7,"quantity":"1"}"#;
        let mut inexact = 118_00;
        while world.done(&preview(&paid, &admin, amount(inexact))).await.json()["isExact"] == true {
            inexact += 1;
        }
        let mismatched = |body: &str| with(body, "parts", &part(1, 100));

        check(
            &world,
            vec![
                (
                    refund(&paid, &admin, lines(&format!("[{by_quantity},{unknown}]"))),
                    (422, "refund_line_not_divisible", Some("lines.0.quantity")),
                ),
                (
                    refund(&paid, &admin, lines(&format!("[{unknown},{by_quantity}]"))),
                    (422, "refund_line_not_found", Some("lines.0")),
                ),
                (
                    refund(&paid, &admin, mismatched(&lines(&format!("[{unknown}]")))),
                    (422, "refund_line_not_found", Some("lines.0")),
                ),
                (
                    refund(&paid, &admin, mismatched(&amount(inexact))),
                    (422, "fiscal_total_mismatch", Some("amount.minorUnits")),
                ),
                (
                    refund(&paid, &admin, mismatched(&lines(r#"[{"lineNumber":1,"netMinorUnits":10000}]"#))),
                    (422, "refund_parts_mismatch", Some("parts")),
                ),
                (
                    refund(&paid, &admin, lines(r#"[{"lineNumber":1,"netMinorUnits":10000}]"#)),
                    (422, "refund_itbis_loss_unacknowledged", Some("acknowledgesItbisLoss")),
                ),
            ],
        )
        .await;
    })
    .await;
}
