//! Failures of other payment systems. Each test names a case, which
//! `docs/CASES.md` lists with the source.

mod amounts;
mod challenge_returns;
mod challenges;
mod lists;
mod races;
mod splits;
mod texts;

use domain::PaymentId;

use crate::support::{Request, TestResponse, World};

/// Returns the payment in the view of the merchant.
async fn payment(world: &World, created: &TestResponse) -> TestResponse {
    world.send(&Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key)).await
}

/// Returns the number of events of that kind.
async fn event_count(world: &World, created: &TestResponse, kind: &str) -> usize {
    let path = format!("/v1/events?limit=100&paymentId={}&type={kind}", created.field("/id"));
    let events = world.send(&Request::get(path, &world.one.key)).await;
    events.json()["data"].as_array().unwrap_or_else(|| panic!("{}", events.text())).len()
}

/// Runs the reconciler for the payment.
async fn settle(world: &World, created: &TestResponse) {
    let id = PaymentId::parse(&created.field("/id")).unwrap();
    app::settle_payment(&world.ports, &world.one.tenant, &id).await.unwrap();
}
