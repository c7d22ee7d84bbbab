//! Events of splits.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{APPROVED_CARD, Bill, DECLINED_CARD, Request, World, on_each_store};

async fn events(world: &World, bill: &Bill) -> Vec<Value> {
    let path = format!("/v1/events?limit=100&paymentId={}", bill.id());
    let response = world.done(&Request::get(path, &world.one.key)).await;
    assert!(!response.text().contains("checkoutReference"), "{}", response.text());
    let mut events = response.json()["data"].as_array().unwrap().clone();
    events.sort_by_key(|it| it["sequence"].as_u64());
    events
}

#[actix_web::test]
async fn events_of_a_split_have_a_sequence_without_gaps() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.done(&bill.replace(2)).await;
        world.reserve(&bill, [1]).await;
        world.submit(&bill, 2, DECLINED_CARD).await;
        world.submit(&bill, 2, APPROVED_CARD).await;
        world.done(&bill.capture()).await;
        world.issue(&bill.created).await;

        let listed = events(&world, &bill).await;

        let kinds: Vec<&str> = listed.iter().map(|it| it["type"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            [
                "payment.created",
                "fiscal_document.requested",
                "payment_split.created",
                "payment_split.replaced",
                "payment_part.authorized",
                "payment.partially_authorized",
                "payment_part.declined",
                "payment_part.authorized",
                "payment.authorized",
                "payment.capturing",
                "payment_part.captured",
                "payment_part.captured",
                "payment.succeeded",
                "fiscal_document.issuing",
                "fiscal_document.issued",
            ]
        );
        let sequence: Vec<u64> = listed.iter().map(|it| it["sequence"].as_u64().unwrap()).collect();
        assert_eq!(sequence, (1..=listed.len() as u64).collect::<Vec<_>>());
        for event in &listed {
            let family = event["type"].as_str().unwrap().split('.').next().unwrap();
            assert_eq!(event["data"]["object"]["object"], family, "{event:#}");
        }
    })
    .await;
}

#[actix_web::test]
async fn an_event_of_a_part_shows_that_part_as_it_stood_then() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [2]).await;
        world.submit(&bill, 1, DECLINED_CARD).await;

        let listed = events(&world, &bill).await;

        let of = |kind: &str| listed.iter().find(|it| it["type"] == kind).unwrap();
        let (authorized, declined) = (of("payment_part.authorized"), of("payment_part.declined"));
        assert_eq!(authorized["data"]["previousStatus"], "processing");
        assert_eq!(
            (&authorized["data"]["object"]["ordinal"], &declined["data"]["object"]["ordinal"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(declined["data"]["object"], world.part(&bill, 1).await);
        let created = of("payment_split.created");
        assert_eq!(created["data"]["object"]["parts"][1]["status"], "unpaid", "as it was then");
        assert_eq!(created["data"]["object"]["paymentId"], bill.id());
    })
    .await;
}

#[actix_web::test]
async fn a_deleted_split_is_an_event() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.done(&bill.delete()).await;

        let listed = events(&world, &bill).await;

        let deleted = listed.last().unwrap();
        assert_eq!(deleted["type"], "payment_split.deleted");
        assert_eq!(
            deleted["data"]["object"],
            json!({"object": "payment_split", "paymentId": bill.id(), "isDeleted": true})
        );
    })
    .await;
}

#[actix_web::test]
async fn expiry_and_renewal_of_a_split_are_events() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [1]).await;
        world.clock.advance(TimeDelta::hours(2));
        world.settle(&bill).await;
        world.done(&bill.renew()).await;

        let listed = events(&world, &bill).await;

        let kinds: Vec<&str> = listed.iter().skip(5).map(|it| it["type"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            [
                "payment_part.expired",
                "payment.releasing",
                "payment_part.expired",
                "payment.expired",
                "fiscal_document.canceled",
                "payment_split.renewed",
                "payment.requires_customer_action",
                "fiscal_document.requested",
            ]
        );
    })
    .await;
}

#[actix_web::test]
async fn events_of_splits_are_filtered_by_family() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        world.reserve(&bill, [1, 2]).await;

        for (family, count) in [("payment_split.*", 1), ("payment_part.*", 2), ("payment_part.authorized", 2)] {
            let path = format!("/v1/events?limit=100&type={family}");
            let found = world.done(&Request::get(path, &world.one.key)).await;
            assert_eq!(found.json()["data"].as_array().unwrap().len(), count, "{family}");
        }
    })
    .await;
}
