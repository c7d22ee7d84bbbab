//! Codes of states.

use chrono::TimeDelta;

use super::Seen;
use crate::support::{
    APPROVED_CARD, LOST_CARD, Request, SALE, SUSPICIOUS_CARD, TestResponse, World, card, token_request, with,
};

pub(super) async fn ask(world: &mut World, seen: &mut Seen) {
    running(world, seen).await;
    ended(world, seen).await;
    documents(world, seen).await;
    late(world, seen).await;
    world.sale_store.fail();
    seen.send(world, Request::get("/v1/payments/x", &world.one.key)).await;
    let id = testkit::sample::payment_id(7);
    seen.send(world, Request::get(format!("/v1/payments/{id}"), &world.one.key)).await;
    world.sale_store.recover();
}

fn cancellation(world: &World, created: &TestResponse) -> Request {
    let path = format!("/v1/payments/{}/cancellations", created.field("/id"));
    Request::post(path, &world.one.key, r#"{"reason":"other"}"#)
}

async fn running(world: &World, seen: &mut Seen) {
    let created = world.sale(SALE).await;
    let submission = world.submission(&created, APPROVED_CARD).await;
    world.gate.block_calls();
    let (_, refused) = tokio::join!(world.send(&submission), async {
        world.gate.until_blocked().await;
        let refused = [world.send(&submission).await, world.send(&cancellation(world, &created)).await];
        world.gate.let_one_pass();
        refused
    });
    world.gate.stop_blocking();
    refused.iter().for_each(|it| seen.note(it));

    let lost = world.sale(SALE).await;
    world.send(&world.submission(&lost, LOST_CARD).await).await;
    seen.send(world, cancellation(world, &lost)).await;
}

async fn ended(world: &World, seen: &mut Seen) {
    let paid = world.sale(SALE).await;
    let submission = world.submission(&paid, APPROVED_CARD).await;
    world.send(&submission).await;
    seen.send(world, cancellation(world, &paid)).await;
    seen.send(world, cancellation(world, &paid).and("if-match", "\"9-9\"")).await;
    seen.send(world, submission.clone().keyed("again")).await;
    let part = with(&card(APPROVED_CARD), "partOrdinal", "1");
    seen.send(world, submission.keyed("of a part").sending(part)).await;

    let suspicious = world.sale(SALE).await;
    let submission = world.submission(&suspicious, SUSPICIOUS_CARD).await;
    world.send(&submission).await;
    seen.send(world, submission.keyed("and again")).await;

    let locked = world.sale(&with(SALE, "fiscalDocument.isKindLocked", "true")).await;
    let path = format!("/v1/payments/{}/fiscal-document-choice", locked.field("/id"));
    seen.send(world, Request::put(path, &world.one.key, r#"{"kind":"government"}"#)).await;
}

async fn documents(world: &World, seen: &mut Seen) {
    let created = world.sale(SALE).await;
    let signed = |it: &TestResponse| {
        let path = format!("/v1/fiscal_documents/{}/signed-document", it.field("/fiscalDocument/id"));
        Request::get(path, &world.one.key)
    };
    seen.send(world, signed(&created)).await;
    let sale: serde_json::Value = serde_json::from_str(SALE).unwrap();
    let correction = crate::support::without(&sale["fiscalDocument"].to_string(), "issuanceMode");
    let path = format!("/v1/fiscal_documents/{}/corrections", created.field("/fiscalDocument/id"));
    seen.send(world, Request::post(path, &world.one.key, correction)).await;

    let issued = world.issued(SALE, APPROVED_CARD).await;
    world.artifact_store.corrupt();
    seen.send(world, signed(&issued)).await;
}

async fn late(world: &World, seen: &mut Seen) {
    let (paid, given_up) = (world.sale(SALE).await, world.sale(SALE).await);
    world.send(&world.submission(&paid, APPROVED_CARD).await).await;
    world.send(&cancellation(world, &given_up)).await;
    let token = |reference: &str, purpose: &str| {
        Request::post("/v1/checkout_tokens", &world.one.key, token_request(reference, purpose))
    };
    world.clock.advance(TimeDelta::days(91));

    seen.send(world, token("x", "pay")).await;
    seen.send(world, token(&given_up.field("/checkoutReference"), "receipt")).await;
    seen.send(world, token(&paid.field("/checkoutReference"), "receipt")).await;
}
