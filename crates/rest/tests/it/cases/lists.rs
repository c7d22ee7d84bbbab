use std::collections::BTreeSet;

use chrono::TimeDelta;
use serde_json::Value;
use testkit::sample::noon;

use crate::support::{Request, SALE, World, on_each_store};

/// Reads a list in pages of `limit`.
async fn whole(world: &World, query: &str, limit: usize) -> Vec<Value> {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("{query}limit={limit}{cursor}");
        let part = world.send(&Request::get(&path, &world.one.key)).await;
        assert_eq!(part.status, 200, "{path}: {}", part.text());
        let json = part.json();
        let items = json["data"].as_array().unwrap();
        assert!(items.len() <= limit);
        seen.extend(items.iter().cloned());
        if json["hasMore"] == false {
            return seen;
        }
        assert_eq!(items.len(), limit, "a part is full while more follow");
        cursor = format!("&cursor={}", part.field("/nextCursor"));
    }
}

fn ids(items: &[Value]) -> BTreeSet<&str> {
    items.iter().map(|it| it["id"].as_str().unwrap()).collect()
}

/// F1: rows that were created at one moment were skipped at the end of a page.
#[actix_web::test]
async fn payments_of_one_moment_are_listed_once_each() {
    on_each_store(async |world| {
        let mut made = BTreeSet::new();
        for _ in 0..250 {
            made.insert(world.sale(SALE).await.field("/id"));
        }

        let payments = whole(&world, "/v1/payments?", 20).await;
        let events = whole(&world, "/v1/events?", 20).await;

        assert_eq!((payments.len(), ids(&payments)), (250, made.iter().map(String::as_str).collect()));
        assert_eq!(payments.iter().map(|it| it["createdAt"].as_str().unwrap()).collect::<BTreeSet<_>>().len(), 1);
        assert_eq!((events.len(), ids(&events).len()), (500, 500));
    })
    .await;
}

/// F2: a cursor had milliseconds and was compared with microseconds.
#[actix_web::test]
async fn payments_less_than_a_millisecond_apart_are_listed_once_each() {
    on_each_store(async |world| {
        let mut made = Vec::new();
        for micros in [400, 450, 900, 999, 1001] {
            world.clock.set(noon() + TimeDelta::microseconds(micros));
            made.push(world.sale(SALE).await.json());
        }

        for limit in 1..=5 {
            let listed = whole(&world, "/v1/payments?", limit).await;
            assert_eq!(listed.len(), 5);
            for sale in &made {
                assert!(listed.contains(sale), "in parts of {limit}: {sale:#}");
            }
        }
        // A time in a response is valid as a filter.
        let first = made[0]["createdAt"].as_str().unwrap();
        let last = made[4]["createdAt"].as_str().unwrap();
        assert_eq!((first, last), ("2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.001Z"));
        assert_eq!(whole(&world, &format!("/v1/payments?createdAfter={first}&"), 2).await.len(), 5);
        assert_eq!(whole(&world, &format!("/v1/payments?createdAfter={last}&"), 2).await.len(), 1);
        assert_eq!(whole(&world, &format!("/v1/payments?createdBefore={last}&"), 2).await.len(), 4);
    })
    .await;
}

/// F7: a time zone was applied twice.
#[actix_web::test]
async fn a_filter_by_time_is_the_same_in_every_time_zone() {
    on_each_store(async |world| {
        world.sale(SALE).await;
        world.clock.advance(TimeDelta::hours(1));
        let later = world.sale(SALE).await.field("/id");
        world.sale(SALE).await;
        let half_past = ["2026-03-01T12:30:00Z", "2026-03-01T08:30:00-04:00", "2026-03-01T12:30:00%2B00:00"];

        let first = |moment: &str| Request::get(format!("/v1/payments?limit=1&createdAfter={moment}"), &world.one.key);
        let mut responses = BTreeSet::new();
        for moment in half_past {
            responses.insert(world.send(&first(moment)).await.text().to_owned());
            assert_eq!(whole(&world, &format!("/v1/payments?createdAfter={moment}&"), 1).await.len(), 2, "{moment}");
            assert_eq!(whole(&world, &format!("/v1/payments?createdBefore={moment}&"), 1).await.len(), 1, "{moment}");
        }

        assert_eq!(responses.len(), 1, "equal bytes, including the cursor");
        let cursor = world.send(&first(half_past[0])).await.field("/nextCursor");
        let path = format!("/v1/payments?createdAfter={}&cursor={cursor}", half_past[1]);
        let rest = world.send(&Request::get(path, &world.one.key)).await;
        assert_eq!(rest.json()["data"].as_array().map(Vec::len), Some(1));
        assert_ne!(rest.json()["data"][0]["id"], rest.field("/nextCursor"));
        assert!(rest.text().contains(&later));
    })
    .await;
}
