//! What went wrong in other payment systems, and does not here. Each test names its case, which
//! `docs/CASES.md` lists with where it was reported.

mod amounts;
mod challenge_returns;
mod challenges;
mod lists;
mod races;
mod splits;
mod texts;

use domain::PaymentId;

use crate::support::{Request, TestResponse, World};

/// The payment as its merchant sees it now.
async fn payment(world: &World, created: &TestResponse) -> TestResponse {
    world.send(&Request::get(format!("/v1/payments/{}", created.field("/id")), &world.one.key)).await
}

/// How many events of that kind the payment has had.
async fn told(world: &World, created: &TestResponse, kind: &str) -> usize {
    let path = format!("/v1/events?limit=100&paymentId={}&type={kind}", created.field("/id"));
    let events = world.send(&Request::get(path, &world.one.key)).await;
    events.json()["data"].as_array().unwrap_or_else(|| panic!("{}", events.text())).len()
}

/// What the reconciler does with it when it is due.
async fn settle(world: &World, created: &TestResponse) {
    let id = PaymentId::parse(&created.field("/id")).unwrap();
    app::settle_payment(&world.ports, &world.one.tenant, &id).await.unwrap();
}
