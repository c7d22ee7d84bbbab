//! Commands about an existing webhook endpoint.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{DENIED, NOT_ADMIN, check_replay, missing};
use crate::support::{Request, SALE, TestResponse, World, check, on_each_store};

const PATH: &str = "/v1/webhook_endpoints";
const WISH: &str = r#"{"url":"https://hooks.example.do/cobro","enabledEvents":["*"]}"#;
const NOT_FOUND: crate::support::ExpectedError = (404, "webhook_endpoint_not_found", Some("webhookEndpointId"));

async fn made(world: &World, admin: &str) -> TestResponse {
    world.send(&Request::post(PATH, admin, WISH)).await
}

fn at(endpoint: &TestResponse, what: &str) -> String {
    format!("{PATH}/{}{what}", endpoint.field("/id"))
}

#[actix_web::test]
async fn an_endpoint_is_read_and_listed_without_its_secret() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (one, two) = (made(&world, &admin).await, made(&world, &admin).await);

        let read = world.send(&Request::get(at(&one, ""), &admin)).await;
        let first = world.send(&Request::get(format!("{PATH}?limit=1"), &admin)).await;
        let cursor = first.field("/nextCursor");
        let rest = world.send(&Request::get(format!("{PATH}?limit=1&cursor={cursor}"), &admin)).await;

        let mut expected = one.json();
        expected.as_object_mut().unwrap().remove("signingSecret");
        assert_eq!((read.status, read.json()), (200, expected.clone()));
        let mut ids = vec![first.field("/data/0/id"), rest.field("/data/0/id")];
        ids.sort_unstable();
        let mut all = vec![one.field("/id"), two.field("/id")];
        all.sort_unstable();
        assert_eq!(ids, all);
        assert_eq!((first.json()["hasMore"].clone(), rest.json()["hasMore"].clone()), (json!(true), json!(false)));
        assert!(!first.text().contains("whsec_"));
    })
    .await;
}

#[actix_web::test]
async fn an_endpoint_is_changed_and_removed_and_another_takes_its_place() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let endpoint = made(&world, &admin).await;
        let update = Request::patch(at(&endpoint, ""), &admin, r#"{"status":"disabled","description":"Caja"}"#);

        let off = check_replay(&world, &update, r#"{"status":"enabled"}"#).await;
        let on = world.send(&Request::patch(at(&endpoint, ""), &admin, r#"{"status":"enabled"}"#)).await;
        let delete = Request::delete(at(&endpoint, ""), &admin);
        let deleted = world.send(&delete).await;
        let again = world.send(&delete).await;

        assert_eq!((off.field("/status"), off.field("/disabledReason")), ("disabled".into(), "by_merchant".into()));
        assert_eq!((on.field("/status"), on.field("/description")), ("enabled".into(), "Caja".into()));
        assert_eq!(
            deleted.json(),
            json!({"id": endpoint.field("/id"), "object": "webhook_endpoint", "isDeleted": true})
        );
        assert_eq!((again.status, again.text()), (200, deleted.text()), "the response is replayed");
        let post = |what: &str| Request::post(at(&endpoint, what), &admin, "{}");
        let rows_of_deleted = vec![
            (Request::get(at(&endpoint, ""), &admin), NOT_FOUND),
            (Request::patch(at(&endpoint, ""), &admin, "{}"), NOT_FOUND),
            (Request::delete(at(&endpoint, ""), &admin), NOT_FOUND),
            (Request::get(at(&endpoint, "/deliveries"), &admin), NOT_FOUND),
            (post("/secret-rotations"), NOT_FOUND),
            (post("/tests"), NOT_FOUND),
        ];
        check(&world, rows_of_deleted).await;
        for _ in 0..16 {
            assert_eq!(made(&world, &admin).await.status, 201);
        }
    })
    .await;
}

#[actix_web::test]
async fn a_rotated_secret_is_new_and_a_retry_returns_the_same() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let endpoint = made(&world, &admin).await;
        let rotate = Request::post(at(&endpoint, "/secret-rotations"), &admin, r#"{"overlapSeconds":60}"#);

        let rotated = check_replay(&world, &rotate, "{}").await;

        assert_eq!((rotated.status, rotated.field("/id")), (201, endpoint.field("/id")));
        assert_ne!(rotated.field("/signingSecret"), endpoint.field("/signingSecret"));
        let recipients = world.ports.webhooks.recipients(&world.one.tenant).await.unwrap();
        let until = recipients[0].previous.as_ref().map(|it| it.1);
        assert_eq!(until, Some(ports::Clock::now(&*world.clock) + TimeDelta::seconds(60)));
    })
    .await;
}

#[actix_web::test]
async fn a_test_event_is_sent_to_its_endpoint_only() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let narrow = r#"{"url":"https://hooks.example.do/one","enabledEvents":["payment.succeeded"]}"#;
        let endpoint = world.send(&Request::post(PATH, &admin, narrow)).await;
        let other = made(&world, &admin).await;

        let tested = world.send(&Request::post(at(&endpoint, "/tests"), &admin, "{}")).await;

        assert_eq!((tested.status, tested.field("/type")), (202, "webhook_endpoint.test".into()));
        assert_eq!(tested.field("/data/object/id"), endpoint.field("/id"));
        let event = world.send(&Request::get(format!("/v1/events/{}", tested.field("/id")), &world.one.key)).await;
        assert_eq!(event.text(), tested.text(), "it can be read again");
        let sent = world.send(&Request::get(at(&endpoint, "/deliveries"), &admin)).await;
        assert_eq!(sent.field("/data/0/eventId"), tested.field("/id"));
        assert_eq!(
            (sent.field("/data/0/status"), &sent.json()["data"][0]["lastAttempt"]),
            ("pending".into(), &Value::Null)
        );
        let others = world.send(&Request::get(at(&other, "/deliveries"), &admin)).await;
        assert_eq!(others.json()["data"], json!([]));
    })
    .await;
}

#[actix_web::test]
async fn events_are_replayed_by_id_and_by_period() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        world.sale(SALE).await;
        let event = world.send(&Request::get("/v1/events", &world.one.key)).await;
        let endpoint = made(&world, &admin).await;
        let replay = |body: String| Request::post(at(&endpoint, "/replays"), &admin, body);
        let one = replay(format!(r#"{{"eventId":"{}"}}"#, event.field("/data/0/id")));
        let since = r#""since":"2026-01-01T00:00:00Z""#;

        let named = world.send(&one).await;
        world.clock.advance(TimeDelta::seconds(1));
        let period = world.send(&replay(format!("{{{since}}}"))).await;
        let failed = world.send(&replay(format!(r#"{{{since},"onlyFailed":true}}"#))).await;
        let of_others = world.send(&replay(format!(r#"{{{since},"eventTypes":["payment_split.*"]}}"#))).await;

        assert_eq!((named.status, named.json()["deliveryCount"].clone()), (202, json!(1)));
        assert_eq!((period.status, period.json()["deliveryCount"].clone()), (202, json!(2)));
        assert_eq!(period.json()["isComplete"], true);
        assert_eq!(
            (failed.json()["deliveryCount"].clone(), of_others.json()["deliveryCount"].clone()),
            (json!(0), json!(0))
        );
        let waiting = world.send(&Request::get(at(&endpoint, "/deliveries?status=pending"), &admin)).await;
        assert_eq!(waiting.json()["data"].as_array().map(Vec::len), Some(2));
        let unknown = replay(r#"{"eventId":"event_000000000000000000000000"}"#.to_owned());
        check(&world, vec![(unknown, (404, "event_not_found", Some("eventId")))]).await;
    })
    .await;
}

#[actix_web::test]
async fn only_an_admin_key_manages_an_endpoint() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let endpoint = made(&world, &admin).await;
        let token = world.token(&world.sale(SALE).await, "pay").await;
        let mut rows = Vec::new();
        for (credential, expected) in [(&world.one.key, NOT_ADMIN), (&token, DENIED)] {
            rows.extend([
                (Request::get(PATH, credential), expected),
                (Request::get(at(&endpoint, ""), credential), expected),
                (Request::patch(at(&endpoint, ""), credential, "{}"), expected),
                (Request::delete(at(&endpoint, ""), credential), expected),
                (Request::get(at(&endpoint, "/deliveries"), credential), expected),
                (Request::post(at(&endpoint, "/secret-rotations"), credential, "{}"), expected),
                (Request::post(at(&endpoint, "/tests"), credential, "{}"), expected),
                (Request::post(at(&endpoint, "/replays"), credential, "{}"), expected),
            ]);
        }
        rows.push((Request::post(at(&endpoint, "/replays"), &admin, "{}"), missing("since")));
        rows.push((
            Request::post(at(&endpoint, "/tests"), &admin, "{}").without("idempotency-key"),
            missing("idempotency-key"),
        ));

        check(&world, rows).await;
    })
    .await;
}
