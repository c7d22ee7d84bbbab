//! Effects and refusals of each operation.

mod accounts;
mod cancellations;
mod choices;
mod corrections;
mod deliveries;
mod endpoints;
mod events;
mod interface;
mod payments;
mod profiles;
mod readiness;
mod tips;
mod unchecked_buyers;
mod wallets;
mod webhooks;

use crate::support::{ExpectedError, LOST_CARD, Request, TestResponse, World};

const DENIED: ExpectedError = (403, "operation_not_permitted_for_checkout_token", None);
const NOT_ADMIN: ExpectedError = (403, "merchant_account_admin_required", None);
const NOT_LIVE: ExpectedError = (403, "live_mode_not_enabled", None);
const NOT_OWNED: ExpectedError = (403, "merchant_account_not_owned", None);
const NO_PAYMENT: ExpectedError = (404, "payment_not_found", Some("paymentId"));
const REUSED: ExpectedError = (409, "idempotency_key_reused", Some("idempotency-key"));
const EXPIRED: ExpectedError = (409, "idempotency_key_expired", Some("idempotency-key"));

const fn missing(field: &'static str) -> ExpectedError {
    (400, "parameter_missing", Some(field))
}

const fn invalid(field: &'static str) -> ExpectedError {
    (400, "parameter_invalid", Some(field))
}

/// Pays `created` with that card.
async fn pay(world: &World, created: &TestResponse, number: &str) -> TestResponse {
    let submission = world.submission(created, number).await;
    let paid = world.send(&submission).await;
    assert_eq!(paid.status, 200, "{}", paid.text());
    paid
}

/// Submits a card with an unknown outcome.
async fn lose_sight_of(world: &World, created: &TestResponse) {
    let paid = pay(world, created, LOST_CARD).await;
    assert_eq!(paid.field("/status"), "verifying");
}

/// Sends the request and a retry, which gets the same response. Another request with the key is refused.
async fn check_replay(world: &World, request: &Request, another: &str) -> TestResponse {
    let first = world.send(request).await;
    let again = world.send(request).await;
    let other = world.send(&request.clone().sending(another)).await;

    assert!(first.status < 300, "{}", first.text());
    assert_eq!((first.text(), first.header("request-id")), (again.text(), again.header("request-id")));
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), ("", "true"));
    let (status, code, param) = REUSED;
    assert_eq!(other.error(), (status, code.to_owned(), param.map(str::to_owned)));
    first
}
