//! Refusals of commands about splits.

use chrono::TimeDelta;
use testkit::sample;

use super::{commands, expired};
use crate::support::{
    APPROVED_CARD, Bill, DECLINED_CARD, ExpectedError, LOST_CARD, Request, SALE, SUSPICIOUS_CARD, World, check,
    on_each_store, with,
};

const NO_PAYMENT: ExpectedError = (404, "payment_not_found", Some("paymentId"));
const NO_SPLIT: ExpectedError = (404, "payment_split_not_found", None);
const NOT_OWNED: ExpectedError = (403, "merchant_account_not_owned", None);
const IN_PROGRESS: ExpectedError = (409, "payment_method_already_in_progress", None);
const IN_DOUBT: ExpectedError = (409, "payment_awaiting_verification", None);
const CLOSED: ExpectedError = (409, "checkout_window_closed", None);
const LOCKED: ExpectedError = (409, "payment_split_locked", None);
const COMPLETE: ExpectedError = (409, "payment_split_complete", None);
const NOT_CAPTURABLE: ExpectedError = (409, "payment_split_not_capturable", None);
const NOT_EXPIRED: ExpectedError = (409, "payment_split_not_expired", None);
const NOT_PAYABLE: ExpectedError = (409, "payment_part_not_payable", Some("partOrdinal"));

/// A bill with a part of unknown outcome.
async fn verifying_bill(world: &World) -> Bill {
    let bill = world.bill(2).await;
    let submitted = world.submit(&bill, 1, LOST_CARD).await;
    assert_eq!(submitted.field("/status"), "verifying");
    bill
}

async fn captured(world: &World) -> Bill {
    let bill = world.reserved_bill(2).await;
    world.done(&bill.capture()).await;
    bill
}

async fn released(world: &World) -> Bill {
    let bill = world.bill(2).await;
    world.done(&bill.release()).await;
    bill
}

#[actix_web::test]
async fn an_unknown_or_foreign_payment_is_not_split() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let whole = Bill { created: world.sale(SALE).await, token: world.one.key.clone() };
        let restricted = world.restricted().await;
        let mut rows = Vec::new();
        let readings = |bill: &Bill, key: &str| ["", "/parts/1"].map(|it| Request::get(bill.at(it), key));
        for request in commands(&bill).into_iter().chain(readings(&bill, &bill.token)) {
            let to = |key: &str| request.clone().with("authorization", format!("Bearer {key}"));
            rows.push((to(&world.other.key), NO_PAYMENT));
            rows.push((to(&restricted), NOT_OWNED));
            let target = request.target.replace(&bill.id(), sample::payment_id(7).as_str());
            rows.push((Request { target, ..request }, NO_PAYMENT));
        }
        for request in commands(&whole).into_iter().skip(1).chain(readings(&whole, &whole.token)) {
            rows.push((request, NO_SPLIT));
        }
        for ordinal in ["0", "3", "01", "-1", "1.0", "x", "256", "%31%00", "99999999999999999999"] {
            let request = Request::get(bill.at(&format!("/parts/{ordinal}")), &bill.token);
            rows.push((request, (404, "payment_part_not_found", Some("ordinal"))));
        }
        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn a_payment_that_cannot_be_split_is_refused_with_its_reason() {
    on_each_store(async |world| {
        let open = async |world: &World| Bill { created: world.sale(SALE).await, token: world.one.key.clone() };
        let (paid, lost, suspicious) = (open(&world).await, open(&world).await, open(&world).await);
        for (bill, number) in [(&paid, APPROVED_CARD), (&lost, LOST_CARD), (&suspicious, SUSPICIOUS_CARD)] {
            world.done(&world.submission(&bill.created, number).await).await;
        }
        let (canceled, late) = (open(&world).await, open(&world).await);
        world.done(&canceled.cancel(&world.one.key)).await;
        let not_allowed = (409, "payment_split_not_allowed", None);

        let shared = world.bill(2).await;
        check(
            &world,
            vec![
                (shared.open(2), (409, "payment_split_exists", None)),
                (paid.open(2), not_allowed),
                (suspicious.open(2), not_allowed),
                (lost.open(2), IN_DOUBT),
                (canceled.open(2), CLOSED),
            ],
        )
        .await;
        world.clock.advance(TimeDelta::hours(24));
        check(&world, vec![(late.open(2), CLOSED)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_merchant_can_forbid_splits() {
    on_each_store(async |world| {
        let profile = r#"{"legalName":"Comedor Nuevo, S.R.L.","rnc":"101000007","displayName":"El Nuevo","supportPhone":"809-555-0101","statementDescriptor":"EL NUEVO","isSplitEnabled":false}"#;
        let bill = Bill { created: world.sale(SALE).await, token: world.one.key.clone() };
        world.done(&Request::put("/v1/merchant_profile", &world.admin().await, profile)).await;

        check(&world, vec![(bill.open(2), (409, "payment_split_not_allowed", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_pending_card_locks_the_shares() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let whole = world.sale(SALE).await;
        let (of_part, of_whole) = (bill.card(1, APPROVED_CARD), world.submission(&whole, APPROVED_CARD).await);
        let whole = Bill { token: world.token(&whole, "pay").await, created: whole };
        world.gate.block_calls();

        let ((), _, _) = tokio::join!(
            async {
                world.gate.until_blocked().await;
                world.gate.until_blocked().await;
                check(
                    &world,
                    vec![
                        (whole.open(2), IN_PROGRESS),
                        (bill.replace(2), IN_PROGRESS),
                        (bill.delete(), IN_PROGRESS),
                        (bill.cancel(&world.one.key), IN_PROGRESS),
                        (bill.card(1, APPROVED_CARD), IN_PROGRESS),
                        (bill.release(), LOCKED),
                        (bill.capture(), NOT_CAPTURABLE),
                    ],
                )
                .await;
                world.gate.stop_blocking();
                world.gate.let_one_pass();
                world.gate.let_one_pass();
            },
            world.send(&of_part),
            world.send(&of_whole)
        );

        assert_eq!(world.part(&bill, 1).await["status"], "authorized");
    })
    .await;
}

#[actix_web::test]
async fn commands_are_refused_while_a_part_has_an_unknown_outcome() {
    on_each_store(async |world| {
        let bill = verifying_bill(&world).await;

        let mut rows: Vec<_> = commands(&bill).into_iter().skip(1).map(|it| (it, IN_DOUBT)).collect();
        rows.push((bill.cancel(&world.one.key), IN_DOUBT));
        rows.push((bill.card(1, APPROVED_CARD), IN_DOUBT));
        check(&world, rows).await;

        world.submit(&bill, 2, APPROVED_CARD).await;
        assert_eq!(world.part(&bill, 2).await["status"], "authorized", "the others stay payable");
    })
    .await;
}

#[actix_web::test]
async fn a_split_with_reservations_is_not_replaced() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [2]).await;

        check(
            &world,
            vec![
                (bill.replace(2), LOCKED),
                (bill.delete(), LOCKED),
                (bill.capture(), NOT_CAPTURABLE),
                (bill.renew(), NOT_EXPIRED),
                (bill.card(2, APPROVED_CARD), NOT_PAYABLE),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn commands_of_an_ended_split_are_refused() {
    on_each_store(async |world| {
        let (paid, given_up) = (captured(&world).await, released(&world).await);
        check(
            &world,
            vec![
                (paid.open(2), (409, "payment_split_exists", None)),
                (paid.replace(2), LOCKED),
                (paid.delete(), LOCKED),
                (paid.capture(), COMPLETE),
                (paid.release(), COMPLETE),
                (paid.renew(), NOT_EXPIRED),
                (paid.card(1, APPROVED_CARD), COMPLETE),
                (paid.cancel(&world.one.key), (409, "payment_not_editable", None)),
                (given_up.replace(2), LOCKED),
                (given_up.delete(), LOCKED),
                (given_up.capture(), NOT_CAPTURABLE),
                (given_up.release(), COMPLETE),
                (given_up.renew(), NOT_EXPIRED),
                (given_up.card(1, APPROVED_CARD), CLOSED),
            ],
        )
        .await;
        let late = expired(&world).await;
        check(
            &world,
            vec![
                (late.replace(2), LOCKED),
                (late.delete(), LOCKED),
                (late.capture(), NOT_CAPTURABLE),
                (late.release(), CLOSED),
                (late.card(1, APPROVED_CARD), CLOSED),
                (late.cancel(&world.one.key), (409, "payment_not_editable", None)),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn a_card_is_refused_for_a_part_that_cannot_be_paid() {
    on_each_store(async |world| {
        let bill = world.bill(3).await;
        let whole = world.sale(SALE).await;
        let whole = Bill { token: world.token(&whole, "pay").await, created: whole };
        let of_no_part = world.submission(&bill.created, APPROVED_CARD).await;
        world.submit(&bill, 2, SUSPICIOUS_CARD).await;
        world.reserve(&bill, [1]).await;
        check(
            &world,
            vec![
                (whole.card(1, APPROVED_CARD), (404, "payment_split_not_found", Some("partOrdinal"))),
                (bill.card(4, APPROVED_CARD), (404, "payment_part_not_found", Some("partOrdinal"))),
                (bill.card(0, APPROVED_CARD), (400, "parameter_invalid", Some("partOrdinal"))),
                (of_no_part, (409, "payment_split_part_required", Some("partOrdinal"))),
                (bill.card(1, APPROVED_CARD), NOT_PAYABLE),
                (bill.card(2, APPROVED_CARD), (409, "decline_not_retryable", None)),
            ],
        )
        .await;
        let full = world.reserved_bill(2).await;
        check(&world, vec![(full.card(1, APPROVED_CARD), COMPLETE)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_part_takes_five_cards_at_most() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        for _ in 0..5 {
            world.submit(&bill, 1, DECLINED_CARD).await;
        }

        let part = world.part(&bill, 1).await;

        assert_eq!((&part["decline"]["canTryAgain"], &part["attemptCount"]), (&false.into(), &5.into()));
        check(&world, vec![(bill.card(1, APPROVED_CARD), (409, "decline_not_retryable", None))]).await;
        world.reserve(&bill, [2]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_document_that_needs_a_buyer_is_paid_by_no_part() {
    on_each_store(async |world| {
        let created = world.sale(&with(SALE, "fiscalDocument.kind", r#""fiscal_credit""#)).await;
        let bill = world.shared(created, 2).await;

        check(&world, vec![(bill.card(1, APPROVED_CARD), (409, "fiscal_buyer_required", Some("buyer")))]).await;
    })
    .await;
}
