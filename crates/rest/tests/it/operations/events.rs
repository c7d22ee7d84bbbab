use chrono::TimeDelta;
use serde_json::Value;
use testkit::sample;

use super::{DENIED, ExpectedError, NOT_OWNED, invalid, pay};
use crate::support::{APPROVED_CARD, DECLINED_CARD, Request, SALE, TestResponse, World, check, on_each_store};

const NO_EVENT: ExpectedError = (404, "event_not_found", Some("eventId"));

async fn list(world: &World, query: &str) -> Vec<Value> {
    let response = world.send(&Request::get(format!("/v1/events?{query}"), &world.one.key)).await;
    assert_eq!(response.status, 200, "{query}: {}", response.text());
    assert!(!response.text().contains("checkoutReference"), "{}", response.text());
    response.json()["data"].as_array().unwrap().clone()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|it| it["type"].as_str().unwrap()).collect()
}

/// A sale that was declined, then paid, with an issued document.
async fn eventful(world: &World) -> TestResponse {
    let created = world.sale(SALE).await;
    world.clock.advance(TimeDelta::seconds(1));
    pay(world, &created, DECLINED_CARD).await;
    world.clock.advance(TimeDelta::seconds(1));
    pay(world, &created, APPROVED_CARD).await;
    world.issue(&created).await;
    created
}

#[actix_web::test]
async fn events_of_a_payment_have_a_sequence_without_gaps_and_show_the_state_of_their_time() {
    on_each_store(async |world| {
        let created = eventful(&world).await;
        world.sale(SALE).await;

        let mut events = list(&world, &format!("limit=100&paymentId={}", created.field("/id"))).await;
        events.sort_by_key(|it| it["sequence"].as_u64());

        let sequence: Vec<u64> = events.iter().map(|it| it["sequence"].as_u64().unwrap()).collect();
        assert_eq!(sequence, (1..=sequence.len() as u64).collect::<Vec<_>>());
        let known = kinds(&events);
        for kind in ["payment.created", "payment.declined", "payment.succeeded", "fiscal_document.requested"] {
            assert_eq!(known.iter().filter(|it| **it == kind).count(), 1, "{kind} in {known:?}");
        }
        assert_eq!(known.iter().filter(|it| **it == "fiscal_document.issued").count(), 1, "{known:?}");
        for event in &events {
            let (kind, status) = (event["type"].as_str().unwrap(), event["data"]["object"]["status"].as_str().unwrap());
            let (subject, entered) = kind.split_once('.').unwrap();
            let entered = if entered == "created" { "requires_customer_action" } else { entered };
            assert_eq!((status, event["data"]["object"]["object"].as_str()), (entered, Some(subject)), "{event:#}");
            assert_eq!((&event["object"], &event["apiVersion"]), (&"event".into(), &"v1".into()));
            assert_eq!(event["merchantAccountId"], world.one.account.as_str());
        }
    })
    .await;
}

#[actix_web::test]
async fn an_event_is_read_as_it_is_listed() {
    on_each_store(async |world| {
        eventful(&world).await;
        let events = list(&world, "limit=100").await;

        for event in events {
            let path = format!("/v1/events/{}", event["id"].as_str().unwrap());
            let read = world.send(&Request::get(path, &world.one.key)).await;

            assert_eq!((read.status, read.json()), (200, event));
        }
    })
    .await;
}

#[actix_web::test]
async fn events_are_listed_newest_first_by_kind_and_by_time() {
    on_each_store(async |world| {
        eventful(&world).await;
        let all = list(&world, "limit=100").await;
        let times: Vec<&str> = all.iter().map(|it| it["createdAt"].as_str().unwrap()).collect();
        let oldest = times.last().unwrap();

        assert!(times.is_sorted_by(|one, next| one >= next), "{times:?}");
        assert_eq!(kinds(&list(&world, "type=payment.declined").await), ["payment.declined"]);
        let of_payments = list(&world, "type=payment.*").await;
        assert!(kinds(&of_payments).iter().all(|it| it.starts_with("payment.")) && of_payments.len() > 2);
        let later = format!("createdAfter={oldest}&limit=100");
        assert_eq!(list(&world, &later).await.len(), all.len(), "the moment itself is part of it");
        assert_eq!(list(&world, &format!("createdBefore={oldest}")).await, [Value::Null; 0]);
    })
    .await;
}

#[actix_web::test]
async fn events_are_read_page_by_page() {
    on_each_store(async |world| {
        eventful(&world).await;
        let all = list(&world, "limit=100").await;

        let (mut seen, mut query) = (Vec::new(), "limit=2".to_owned());
        loop {
            let part = world.send(&Request::get(format!("/v1/events?{query}"), &world.one.key)).await;
            seen.extend(part.json()["data"].as_array().unwrap().clone());
            if part.json()["hasMore"] == false {
                break;
            }
            query = format!("limit=2&cursor={}", part.field("/nextCursor"));
        }

        assert_eq!(seen, all);
    })
    .await;
}

#[actix_web::test]
async fn invalid_event_queries_are_refused() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let id = list(&world, "limit=1").await[0]["id"].as_str().unwrap().to_owned();
        let get = |query: &str| Request::get(format!("/v1/events{query}"), &world.one.key);

        let rows = vec![
            (Request::get("/v1/events", &token), DENIED),
            (Request::get(format!("/v1/events/{id}"), &token), DENIED),
            (Request::get(format!("/v1/events/{id}"), &world.restricted().await), NOT_OWNED),
            (Request::get(format!("/v1/events/{id}"), &world.other.key), NO_EVENT),
            (get(&format!("/event_{}", sample::symbols(7).as_str())), NO_EVENT),
            (get("/x"), NO_EVENT),
            (get("/x?y=1"), invalid("y")),
            (get("?type=nonsense"), invalid("type")),
            (get("?paymentId=x"), invalid("paymentId")),
            (get("?cursor=x"), invalid("cursor")),
            (get("?limit=0"), invalid("limit")),
        ];

        check(&world, rows).await;
        world.clock.advance(TimeDelta::days(30) + TimeDelta::seconds(1));
        check(&world, vec![(get(&format!("/{id}")), NO_EVENT)]).await;
        assert_eq!(list(&world, "").await, [Value::Null; 0]);
    })
    .await;
}
