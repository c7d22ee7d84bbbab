use chrono::TimeDelta;

use super::{DENIED, EXPIRED, NOT_ADMIN, NOT_LIVE, check_replay, missing};
use crate::support::{Request, SALE, check, on_each_store, with};

const PATH: &str = "/v1/webhook_endpoints";
const WISH: &str = r#"{"url":"https://hooks.example.do/cobro","enabledEvents":["payment.*","fiscal_document.issued"],"description":"Caja 1"}"#;

#[actix_web::test]
async fn an_endpoint_is_created_and_a_retry_returns_the_same_secret() {
    on_each_store(async |world| {
        let request = Request::post(PATH, &world.admin().await, WISH);

        let made = check_replay(&world, &request, &with(WISH, "description", r#""Caja 2""#)).await;

        assert_eq!(
            (made.status, made.field("/object"), made.field("/status")),
            (201, "webhook_endpoint".into(), "enabled".into())
        );
        assert!(made.field("/id").starts_with("webhook_endpoint_"));
        assert_eq!(made.field("/url"), "https://hooks.example.do/cobro");
        assert_eq!(made.json()["enabledEvents"], serde_json::json!(["payment.*", "fiscal_document.issued"]));
        let secret = made.field("/signingSecret");
        assert_eq!((&secret[..6], secret.len()), ("whsec_", 50));
        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));
        check(&world, vec![(request, EXPIRED)]).await;
    })
    .await;
}

#[actix_web::test]
async fn no_two_endpoints_share_a_secret() {
    on_each_store(async |world| {
        let admin = world.admin().await;

        let one = world.send(&Request::post(PATH, &admin, WISH)).await;
        let other = world.send(&Request::post(PATH, &admin, WISH)).await;

        assert_ne!(one.field("/signingSecret"), other.field("/signingSecret"));
    })
    .await;
}

#[actix_web::test]
async fn an_invalid_endpoint_is_refused() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let token = world.token(&world.sale(SALE).await, "pay").await;
        let post = |body: &str| Request::post(PATH, &admin, body);

        let rows = vec![
            (Request::post(PATH, &token, WISH), DENIED),
            (Request::post(PATH, &world.one.key, WISH), NOT_ADMIN),
            (Request::post(PATH, &world.live().await, WISH), NOT_LIVE),
            (post(WISH).without("idempotency-key"), missing("idempotency-key")),
            (post("{}"), missing("url")),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn a_mode_has_sixteen_endpoints_at_most() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let creation = || Request::post(PATH, &admin, WISH);
        let first = creation();
        world.send(&first).await;
        for _ in 1..16 {
            assert_eq!(world.send(&creation()).await.status, 201);
        }

        check(&world, vec![(creation(), (409, "webhook_endpoint_limit_reached", None))]).await;

        assert_eq!(world.send(&first).await.status, 201, "an earlier response is still replayed");
    })
    .await;
}
