//! Commands that break two rules: the first in the published order is reported.

use chrono::TimeDelta;
use testkit::sample;

use super::expired;
use crate::support::{APPROVED_CARD, Bill, ExpectedError, LOST_CARD, Request, SALE, check, on_each_store};

const DENIED: ExpectedError = (403, "operation_not_permitted_for_checkout_token", None);
const REUSED: ExpectedError = (409, "idempotency_key_reused", Some("idempotency-key"));

#[actix_web::test]
async fn permission_then_malformed_then_unknown_is_reported() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let payer_token = world.token(&bill.created, "pay").await;
        let malformed = |request: Request| request.without("idempotency-key").sending("{");
        let by_payer = |request: Request| malformed(request).with("authorization", format!("Bearer {payer_token}"));
        let nowhere = |request: Request| {
            let target = request.target.replace(&bill.id(), sample::payment_id(7).as_str());
            Request { target, ..request }
        };
        let lacks_its_key = (400, "parameter_missing", Some("idempotency-key"));

        check(
            &world,
            vec![
                (by_payer(bill.replace(2)), DENIED),
                (by_payer(bill.capture()), DENIED),
                (by_payer(bill.delete()), DENIED),
                (nowhere(malformed(bill.capture())), lacks_its_key),
                (nowhere(bill.delete().without("idempotency-key")), lacks_its_key),
                (nowhere(bill.release().sending("{}")), (400, "parameter_missing", Some("reason"))),
                (nowhere(bill.open(1)), (404, "payment_not_found", Some("paymentId"))),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn key_then_split_then_rules_then_state_is_reported() {
    on_each_store(async |world| {
        let whole = Bill { created: world.sale(SALE).await, token: world.one.key.clone() };
        let shared = world.bill(2).await;
        world.done(&shared.replace(2).keyed("used")).await;
        let by_key = |request: Request| request.with("authorization", format!("Bearer {}", world.one.key));
        world.done(&by_key(shared.replace(3)).keyed("used")).await;
        let no_partition = (400, "payment_split_invalid", Some("partCount"));
        world.submit(&shared, 1, LOST_CARD).await;

        check(
            &world,
            vec![
                (whole.replace(3).keyed("used"), REUSED),
                (shared.capture().keyed("used"), REUSED),
                (whole.replace(1), (404, "payment_split_not_found", None)),
                (shared.open(1), no_partition),
                (shared.replace(1), no_partition),
                (shared.open(2), (409, "payment_split_exists", None)),
                (shared.replace(2), (409, "payment_awaiting_verification", None)),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn unknown_part_then_closed_window_then_missing_part_is_reported() {
    on_each_store(async |world| {
        let bill = expired(&world).await;
        let of_no_part = Request { body: crate::support::card(APPROVED_CARD).into(), ..bill.card(1, APPROVED_CARD) };

        check(
            &world,
            vec![
                (bill.card(3, APPROVED_CARD), (404, "payment_part_not_found", Some("partOrdinal"))),
                (of_no_part, (409, "checkout_window_closed", None)),
                (bill.card(1, APPROVED_CARD), (409, "checkout_window_closed", None)),
            ],
        )
        .await;
    })
    .await;
}

#[actix_web::test]
async fn the_state_of_a_split_is_checked_before_the_account() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.clock.set("2027-03-02T12:00:00Z".parse().unwrap());
        let by_key = bill.renew().with("authorization", format!("Bearer {}", world.one.key));
        check(&world, vec![(by_key.clone(), (409, "payment_split_not_expired", None))]).await;
        world.settle(&bill).await;
        world.clock.advance(TimeDelta::hours(25));

        check(&world, vec![(by_key, (409, "payment_split_not_renewable", None))]).await;
    })
    .await;
}
