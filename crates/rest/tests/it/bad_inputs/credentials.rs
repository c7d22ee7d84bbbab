use app::operator;
use chrono::TimeDelta;
use domain::{
    Mode,
    credential::{MerchantKey, Role},
};
use ports::{Clock, Tenant};
use testkit::sample;

use super::{Row, check};
use crate::support::{Request, SALE, World, on_each_store};

const MISSING: (u16, &str, Option<&str>) = (401, "api_key_missing", None);
const INVALID: (u16, &str, Option<&str>) = (401, "api_key_invalid", None);

#[actix_web::test]
async fn without_a_credential_that_is_known() {
    on_each_store(async |world| {
        let key = world.one.key.as_str();
        let with = |value: String| Request::bare("GET", "/v1/payments/x").with("authorization", value);
        let (unknown, ended) = (world.forgotten().await, key_that_has_ended(&world).await);
        let mistyped = key.replace('_', "-");
        let shortened = &key[..key.len() - 1];
        let good = format!("Bearer {key}");

        let rows: Vec<Row> = vec![
            ("BAD-019", Request::bare("GET", "/v1/payments/x"), MISSING),
            ("BAD-020", with("Bearer".to_owned()), MISSING),
            ("BAD-020", with("Bearer ".to_owned()), MISSING),
            ("BAD-020", with(String::new()), MISSING),
            ("BAD-021", with(format!("Basic {key}")), MISSING),
            ("BAD-021", with(format!("Token {key}")), MISSING),
            ("BAD-021", with(key.to_owned()), MISSING),
            ("BAD-021", with(format!("bearer {key} {key}")), INVALID),
            ("BAD-021", with(format!("Bearer {} {}", &key[..20], &key[20..])), INVALID),
            ("BAD-021", with(format!("Bearer {key},{key}")), INVALID),
            ("BAD-023", with("Bearer x".to_owned()), INVALID),
            ("BAD-023", with(format!("Bearer {unknown}")), INVALID),
            ("BAD-023", with(format!("Bearer {ended}")), INVALID),
            ("BAD-023", with(format!("Bearer {mistyped}")), INVALID),
            ("BAD-023", with(format!("Bearer {shortened}")), INVALID),
            ("BAD-023", with("Bearer gk_test_é".to_owned()), INVALID),
            ("BAD-024", with(good.clone()).and("authorization", "Bearer x"), INVALID),
            ("BAD-024", with("Bearer x".to_owned()).and("authorization", good), INVALID),
            ("BAD-025", Request::bare("GET", format!("/v1/payments/x?api_key={key}")), MISSING),
            ("BAD-027", with("Bearer ct_test_x".to_owned()), (401, "checkout_token_invalid", None)),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn the_scheme_may_be_spelled_in_any_case() {
    on_each_store(async |world| {
        for scheme in ["bearer", "BEARER", "Bearer "] {
            let authorization = format!("{scheme} {}", world.one.key);
            let answer = world.send(&Request::bare("GET", "/v1/payments/x").with("authorization", authorization)).await;

            assert_eq!(answer.error().0, 404, "{scheme}");
        }
    })
    .await;
}

#[actix_web::test]
async fn with_a_credential_that_may_not() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let live = Tenant { mode: Mode::Live, ..world.one.tenant.clone() };
        let live_key = operator::create_key(&world.ports, &live, Role::Standard).await.unwrap();
        let denied = (403, "operation_not_permitted_for_checkout_token", None);
        let nobody = (404, "merchant_account_not_found", Some("merchant-account"));
        let of_other = world.other.account.as_str();
        let sale = Request::post("/v1/payments", &world.one.key, SALE);

        let rows: Vec<Row> = vec![
            ("BAD-029", Request::post("/v1/payments", &token, SALE), denied),
            ("BAD-037", Request::post("/v1/payments", &live_key, SALE), (403, "live_mode_not_enabled", None)),
            ("BAD-037", Request::post("/v1/checkout_tokens", &live_key, "{}"), (403, "live_mode_not_enabled", None)),
            ("BAD-037", sale.clone().with("merchant-account", of_other), nobody),
            ("BAD-037", sale.clone().with("merchant-account", ""), nobody),
            ("BAD-037", sale.with("merchant-account", "é"), nobody),
        ];
        check(&world, rows).await;

        world.clock.advance(TimeDelta::hours(24) + TimeDelta::minutes(15));
        let get = Request::get(format!("/v1/payments/{}", created.field("/id")), &token);
        check(&world, vec![("BAD-028", get, (401, "checkout_token_expired", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn headers_that_promise_more_than_they_may_change_nothing() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let plain = Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key);
        let dressed = plain
            .clone()
            .and("x-forwarded-for", "127.0.0.1")
            .and("x-real-ip", "127.0.0.1")
            .and("x-forwarded-host", "evil.example")
            .and("x-user-id", "admin")
            .and("x-http-method-override", "DELETE");

        let (one, other) = (world.send(&plain).await, world.send(&dressed).await);

        assert_eq!((other.status, one.text()), (200, other.text()));
    })
    .await;
}

#[actix_web::test]
async fn a_key_that_has_ended_is_told_what_an_unknown_one_is() {
    on_each_store(async |world| {
        let (unknown, ended) = (world.forgotten().await, key_that_has_ended(&world).await);

        let one = world.send(&Request::get("/v1/payments/x", &unknown)).await;
        let other = world.send(&Request::get("/v1/payments/x", &ended)).await;

        assert_eq!(one.body_but_for_the_name(), other.body_but_for_the_name(), "BAD-023");
    })
    .await;
}

async fn key_that_has_ended(world: &World) -> String {
    let text = world.forgotten().await;
    let key = MerchantKey {
        digest: world.ports.vault.digest(text.as_bytes()),
        merchant: world.one.tenant.merchant.clone(),
        ends_at: Some(world.clock.now()),
        ..sample::merchant_key(1)
    };
    world.ports.registry.add_key(key).await.unwrap();
    text
}
