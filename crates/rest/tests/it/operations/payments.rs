use std::collections::HashSet;

use chrono::TimeDelta;

use super::pay;
use crate::support::{APPROVED_CARD, Request, SALE, TestResponse, World, on_each_store, with};

async fn list(world: &World, query: &str) -> TestResponse {
    let response = world.send(&Request::get(format!("/v1/payments?{query}"), &world.one.key)).await;
    assert_eq!(response.status, 200, "{query}: {}", response.text());
    response
}

fn ids(part: &TestResponse) -> Vec<String> {
    let json = part.json();
    json["data"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn payments_are_listed_newest_first_and_a_merchants_own_alone() {
    on_each_store(async |world| {
        let first = world.sale(SALE).await;
        world.clock.advance(TimeDelta::seconds(1));
        let second = world.sale(SALE).await;
        world.send(&Request::post("/v1/payments", &world.other.key, SALE)).await;

        let all = list(&world, "").await;

        assert_eq!(ids(&all), [second.field("/id"), first.field("/id")]);
        assert_eq!(all.json()["data"][1], first.json(), "an item is the payment itself");
        assert_eq!((&all.json()["object"], &all.json()["hasMore"]), (&"list".into(), &false.into()));
        assert_ne!(all.field("/nextCursor"), "");
    })
    .await;
}

#[actix_web::test]
async fn filters_are_combined_with_and() {
    on_each_store(async |world| {
        let paid = world.sale(&with(SALE, "saleReference", r#""mesa 1""#)).await;
        pay(&world, &paid, APPROVED_CARD).await;
        world.clock.advance(TimeDelta::hours(1));
        let open = world.sale(&with(SALE, "saleReference", r#""mesa 1""#)).await;
        let numbers = with(SALE, "fiscalDocument.merchantInvoiceNumber", r#""INV-9""#);
        let numbered = world.sale(&with(&numbers, "fiscalDocument.merchantOrderNumber", r#""77""#)).await;
        let (paid, open, numbered) = (paid.field("/id"), open.field("/id"), numbered.field("/id"));
        let rows: [(&str, Vec<&String>); 9] = [
            ("saleReference=mesa+1", vec![&open, &paid]),
            ("saleReference=mesa%201&status=succeeded", vec![&paid]),
            ("status=succeeded", vec![&paid]),
            ("status=partially_paid", vec![]),
            ("merchantInvoiceNumber=INV-9", vec![&numbered]),
            ("merchantOrderNumber=77", vec![&numbered]),
            ("merchantOrderNumber=77&status=succeeded", vec![]),
            ("createdBefore=2026-03-01T12:30:00Z", vec![&paid]),
            ("createdAfter=2026-03-01T12:30:00Z", vec![&numbered, &open]),
        ];

        for (query, expected) in rows {
            assert_eq!(ids(&list(&world, query).await).iter().collect::<Vec<_>>(), expected, "{query}");
        }
    })
    .await;
}

#[actix_web::test]
async fn payments_are_listed_once_each_while_new_ones_arrive() {
    on_each_store(async |world| {
        let mut known = HashSet::new();
        for n in 0..45 {
            known.insert(world.sale(SALE).await.field("/id"));
            if n % 3 == 0 {
                world.clock.advance(TimeDelta::milliseconds(1));
            }
        }

        let (mut seen, mut query) = (Vec::new(), "limit=10".to_owned());
        loop {
            let part = list(&world, &query).await;
            seen.extend(ids(&part));
            if part.json()["hasMore"] == false {
                break;
            }
            world.clock.advance(TimeDelta::milliseconds(1));
            world.sale(SALE).await;
            query = format!("limit=10&cursor={}", part.field("/nextCursor"));
        }

        assert_eq!(seen.len(), 45);
        assert_eq!(seen.into_iter().collect::<HashSet<_>>(), known);
    })
    .await;
}

#[actix_web::test]
async fn a_restricted_key_sees_only_its_accounts() {
    on_each_store(async |world| {
        world.sale(SALE).await;

        let seen = world.send(&Request::get("/v1/payments", &world.restricted().await)).await;

        assert_eq!(ids(&seen), [""; 0]);
    })
    .await;
}
