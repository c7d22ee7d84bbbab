//! Expiry of splits.

use chrono::TimeDelta;
use serde_json::json;

use crate::support::{APPROVED_CARD, Request, on_each_store, statuses};

#[actix_web::test]
async fn an_expired_split_is_released_and_can_be_renewed_and_paid() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [1]).await;
        world.clock.advance(TimeDelta::hours(2));
        world.settle(&bill).await;

        let payment = world.payment(&bill).await;
        assert_eq!((&payment["status"], &payment["split"]["status"]), (&json!("expired"), &json!("expired")));
        assert_eq!(payment["fiscalDocument"]["status"], "canceled");
        assert_eq!(world.at_the_acquirer(), ["reversed"]);

        let renewed = world.done(&bill.renew()).await;
        assert_eq!((renewed.status, renewed.field("/status")), (200, "requires_customer_action".to_owned()));
        assert!(renewed.json()["nextAction"]["url"].is_string());
        assert_eq!(renewed.field("/fiscalDocument/status"), "requested");
        let split = world.split(&bill).await;
        assert_eq!((&split["renewalCount"], statuses(&split)), (&json!(1), vec!["unpaid"; 2]));
        assert_eq!(world.part(&bill, 1).await["attemptCount"], 1, "the attempts are still counted");
        world.reserve(&bill, [1, 2]).await;
        let captured = world.done(&bill.capture()).await;
        assert_eq!(captured.field("/status"), "succeeded");
        let total = &world.payment(&bill).await["totalAmount"]["minorUnits"];
        let taken: i64 = world
            .acquirer
            .transactions()
            .iter()
            .filter(|it| it.status == "captured")
            .map(|it| it.amount_minor_units)
            .sum();
        assert_eq!(total, &json!(taken));
    })
    .await;
}

#[actix_web::test]
async fn an_expired_split_is_shown_before_the_worker_runs() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [2]).await;
        world.clock.advance(TimeDelta::hours(2));

        // Runs the worker until no work is due.
        while app::run_due_work(&world.ports, 10).await.unwrap() > 0 {}

        assert_eq!(world.payment(&bill).await["status"], "expired");
        assert_eq!(world.at_the_acquirer(), ["reversed"]);
    })
    .await;
}

#[actix_web::test]
async fn a_merchant_finds_shared_bills_by_their_status() {
    on_each_store(async |world| {
        let (open, some, all) = (world.bill(2).await, world.bill(2).await, world.reserved_bill(2).await);
        world.reserve(&some, [1]).await;

        for (status, bill) in [("requires_customer_action", open), ("partially_authorized", some), ("authorized", all)]
        {
            let list = world.done(&Request::get(format!("/v1/payments?status={status}"), &world.one.key)).await;
            let ids: Vec<String> = list.json()["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["id"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(ids, [bill.id()], "{status}");
        }
    })
    .await;
}

#[actix_web::test]
async fn a_card_after_the_window_is_refused() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.clock.advance(TimeDelta::hours(2));

        let late = world.send(&bill.card(1, APPROVED_CARD)).await;

        assert_eq!(late.error(), (409, "checkout_window_closed".to_owned(), None));
    })
    .await;
}
