//! Permissions of splits.

use crate::support::{APPROVED_CARD, ExpectedError, Request, SALE, check, on_each_store};

const DENIED: ExpectedError = (403, "operation_not_permitted_for_checkout_token", None);

#[actix_web::test]
async fn the_session_that_shares_a_bill_commands_it_and_others_pay_their_part() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let payer_token = world.token(&bill.created, "pay").await;
        let as_payer = |request: Request| request.with("authorization", format!("Bearer {payer_token}"));

        world.done(&as_payer(bill.card(1, APPROVED_CARD))).await;
        for suffix in ["", "/parts/1"] {
            world.done(&Request::get(bill.at(suffix), &payer_token)).await;
        }
        let commands = [bill.replace(3), bill.delete(), bill.capture(), bill.release(), bill.renew()];
        check(&world, commands.map(|it| (as_payer(it), DENIED)).into()).await;
        world.done(&bill.card(2, APPROVED_CARD)).await;
        let captured = world.done(&bill.capture()).await;

        assert_eq!(captured.field("/status"), "succeeded");
    })
    .await;
}

#[actix_web::test]
async fn no_payer_commands_a_split_of_the_merchants_server() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let payer = world.token(&created, "pay").await;
        let bill = crate::support::Bill { token: world.one.key.clone(), created };
        world.done(&bill.open(2)).await;
        let as_payer = |request: Request| request.with("authorization", format!("Bearer {payer}"));

        let commands = [bill.replace(3), bill.delete(), bill.capture(), bill.release(), bill.renew()];
        check(&world, commands.map(|it| (as_payer(it), DENIED)).into()).await;
        let again = as_payer(bill.open(2));
        check(&world, vec![(again, (409, "payment_split_exists", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn the_merchant_commands_a_split_of_a_payer() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(2).await;
        let as_merchant = bill.capture().with("authorization", format!("Bearer {}", world.one.key));

        let captured = world.done(&as_merchant).await;

        assert_eq!(captured.field("/status"), "succeeded");
        assert_eq!(
            captured.json()["split"]["organizer"],
            serde_json::Value::Null,
            "the split in a payment has no such field"
        );
        assert_eq!(world.split(&bill).await["organizer"], "payer");
    })
    .await;
}

#[actix_web::test]
async fn a_receipt_opens_no_part_of_a_split() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(2).await;
        world.done(&bill.capture()).await;
        let receipt = world.token(&bill.created, "receipt").await;
        let by_receipt = |request: Request| request.with("authorization", format!("Bearer {receipt}"));

        let commands = [bill.open(2), bill.replace(2), bill.delete(), bill.capture(), bill.release(), bill.renew()];
        let readings = ["", "/parts/1"].map(|it| Request::get(bill.at(it), &receipt));
        let rows = commands.map(by_receipt).into_iter().chain(readings).map(|it| (it, DENIED)).collect();
        check(&world, rows).await;
        world.done(&Request::get(format!("/v1/payments/{}", bill.id()), &receipt)).await;
    })
    .await;
}

#[actix_web::test]
async fn an_organizers_token_is_valid_until_the_split_ends() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.clock.advance(chrono::TimeDelta::hours(2));
        world.settle(&bill).await;

        let renewed = world.done(&bill.renew()).await;

        assert_eq!(renewed.field("/status"), "requires_customer_action");
    })
    .await;
}
