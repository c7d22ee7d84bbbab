//! Codes of authentication, permissions and limits.

use std::num::NonZeroU32;

use chrono::TimeDelta;
use rest::{Limits, MonotonicClock};

use super::Seen;
use crate::support::{Request, SALE, World};

pub(super) async fn ask(world: &mut World, seen: &mut Seen) {
    let created = world.sale(SALE).await;
    let token = world.token(&created, "pay").await;
    let admin = world.admin().await;
    let body = r#"{"provider":"simulator"}"#;
    let used = Request::post("/v1/payments", &world.one.key, SALE);
    world.send(&used).await;

    for request in [
        Request::get("/v1/nope", &admin),
        Request::bare("GET", "/v1/payments"),
        Request::get("/v1/payments", "x"),
        Request::get("/v1/payments", "ct_test_x"),
        Request::get("/v1/payments", &token),
        Request::post("/v1/merchant_accounts", &world.live().await, body),
        Request::post("/v1/merchant_accounts", &world.one.key, body),
        Request::get(format!("/v1/payments/{}", created.field("/id")), &world.restricted().await),
        Request::post("/v1/merchant_accounts", &admin, "{}"),
        Request::get("/v1/payments?x=1", &admin),
        Request::get("/v1/payments/x", &admin),
        Request::get("/v1/fiscal_documents/x", &admin),
        Request::get("/v1/merchant_accounts/x", &admin),
        Request::get("/v1/events/x", &admin),
        used.clone().sending("{}").sending(SALE.replace("s-1", "s-2")),
    ] {
        seen.send(world, request).await;
    }
    limits(world, seen).await;
    world.clock.advance(TimeDelta::hours(25));
    seen.send(world, Request::get("/v1/payments", &token)).await;
    world.clock.advance(TimeDelta::hours(48));
    seen.send(world, used).await;
}

async fn limits(world: &mut World, seen: &mut Seen) {
    let generous =
        std::mem::replace(&mut world.limits, Limits::sandbox_with(NonZeroU32::MIN, MonotonicClock::default()));
    let request = Request::get("/v1/payments/x", &world.one.key);
    for _ in 0..3 {
        seen.send(world, request.clone()).await;
    }
    world.limits = generous;
}
