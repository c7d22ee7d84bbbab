//! Refunds.

mod corrections;
mod found;
mod life;
mod limits;
mod media;
mod payers;
mod precedence;
mod previews;
mod refusals;
mod states;

use domain::{Currency, FiscalDocumentId, Money};
use serde_json::Value;

use crate::support::{APPROVED_CARD, Bill, Request, SALE, TestResponse, World, with};

/// Card with a refused void and an approved refund.
const UNVOIDABLE_CARD: &str = "4222220030000002";
/// Card whose voids and refunds are declined.
const UNREFUNDABLE_CARD: &str = "4222220031000050";
/// Card whose refund has no response and is done.
pub(crate) const UNANSWERED_CARD: &str = "4222220032000000";
/// Card with a refund that the acquirer refuses as a request.
const MALFORMED_CARD: &str = "4222220036000998";
/// Card with a refund that is not processed.
const UNPROCESSED_CARD: &str = "4222220037000997";
/// Card whose charge takes one refund.
const SINGLE_CARD: &str = "4222220039000003";

pub(crate) const ALL: &str = r#"{"scope":"all","reason":"returned"}"#;

/// Returns the body of a refund of an amount.
pub(crate) fn amount(minor_units: i64) -> String {
    format!(r#"{{"scope":"amount","reason":"other","amount":{{"currency":"DOP","minorUnits":{minor_units}}}}}"#)
}

/// Returns the body of a refund of lines.
pub(crate) fn lines(lines: &str) -> String {
    format!(r#"{{"scope":"lines","reason":"returned","lines":{lines}}}"#)
}

pub(crate) fn retry(refund: &str) -> String {
    format!(r#"{{"scope":"retry","reason":"other","retriedRefundId":"{refund}"}}"#)
}

/// Returns the body of the same refund outside the acquirer.
fn outside(body: &str) -> String {
    with(body, "settlement", r#""outside""#)
}

fn refunds_of(paid: &TestResponse) -> String {
    format!("/v1/payments/{}/refunds", paid.field("/id"))
}

pub(crate) fn refund(paid: &TestResponse, key: &str, body: impl Into<Vec<u8>>) -> Request {
    Request::post(refunds_of(paid), key, body)
}

/// Returns a preview, which has no idempotency key.
fn preview(paid: &TestResponse, key: &str, body: impl Into<Vec<u8>>) -> Request {
    Request::post(format!("{}/preview", refunds_of(paid)), key, body).without("idempotency-key")
}

pub(crate) fn attribution(refund: &str, key: &str, body: impl Into<Vec<u8>>) -> Request {
    Request::post(format!("/v1/refunds/{refund}/attributions"), key, body)
}

fn correction(refund: &str, key: &str, body: &str) -> Request {
    Request::post(format!("/v1/refunds/{refund}/credit-note-corrections"), key, body)
}

/// A sale with a voluntary tip of 100.00, paid with that card, with an issued document.
async fn tipped(world: &World, number: &str) -> TestResponse {
    let created = world.sale(SALE).await;
    let token = world.token(&created, "pay").await;
    let tip = r#"{"amount":{"currency":"DOP","minorUnits":10000}}"#;
    let path = format!("/v1/payments/{}/voluntary-tip", created.field("/id"));
    world.done(&Request::put(path, &token, tip)).await;
    let paid = world.done(&world.submission(&created, number).await).await;
    assert_eq!(paid.field("/status"), "succeeded");
    world.issue(&created).await;
    created
}

/// A sale of 1,180.12 with a second line of 0.10.
fn with_a_small_line() -> String {
    let two = with(SALE, "amount.minorUnits", "118012");
    let sale: Value = serde_json::from_str(&two).unwrap();
    let first = sale["fiscalDocument"]["lines"][0].to_string();
    let second = with(&with(&first, "sourceLineId", r#""l2""#), "unitPriceMinorUnits", "10");
    with(&two, "fiscalDocument.lines", &format!("[{first},{second}]"))
}

/// A sale whose document the authority rejects.
pub(crate) async fn rejected(world: &World, number: &str) -> TestResponse {
    let created = world.issued(&with(SALE, "fiscalDocument.merchantInvoiceNumber", r#""RJ-1""#), number).await;
    let path = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
    assert_eq!(world.done(&Request::get(path, &world.one.key)).await.field("/status"), "rejected");
    created
}

/// A sale of two payers, both charged, with an issued document.
pub(crate) async fn shared(world: &World) -> TestResponse {
    let bill = world.reserved_bill(2).await;
    world.done(&bill.capture()).await;
    assert_eq!(world.payment(&bill).await["status"], "succeeded");
    world.issue(&bill.created).await;
    bill.created
}

/// A bill of two payers that is finally paid in part, without a document.
async fn left_in_part(world: &World) -> TestResponse {
    let bill: Bill = world.bill(2).await;
    for (ordinal, number) in [(1, APPROVED_CARD), (2, crate::support::UNCAPTURABLE_CARD)] {
        world.submit(&bill, ordinal, number).await;
    }
    world.done(&bill.capture()).await;
    world.done(&bill.release()).await;
    assert_eq!(world.payment(&bill).await["status"], "partially_paid");
    bill.created
}

/// Refunds the amount at the acquirer's portal, and lets the sweep find the refund. Returns the refund.
async fn found(world: &World, paid: &TestResponse, minor_units: i64) -> Value {
    let transactions = world.acquirer.transactions();
    let charge = transactions.iter().find(|it| it.payment_id == paid.field("/id") && it.kind == "sale").unwrap();
    let money = Money::new(minor_units, Currency::Dop);
    world.acquirer.refund_at_portal(&charge.merchant_account_id, &charge.attempt_id, money).unwrap();
    world.clock.advance(chrono::TimeDelta::hours(24));
    app::sweep_returns(&world.ports).await.unwrap();
    let path = format!("/v1/refunds?payment={}", paid.field("/id"));
    world.done(&Request::get(path, &world.one.key)).await.json()["data"][0].clone()
}

/// Runs the issuance of a document by its identifier.
async fn issue(world: &World, document: &str) {
    let id = FiscalDocumentId::parse(document).unwrap();
    app::issue_document(&world.ports, &world.one.tenant, &id).await.unwrap();
}

async fn document(world: &World, id: &str) -> TestResponse {
    world.done(&Request::get(format!("/v1/fiscal_documents/{id}"), &world.one.key)).await
}

async fn summary(world: &World, paid: &TestResponse) -> Value {
    let path = format!("/v1/payments/{}", paid.field("/id"));
    world.done(&Request::get(path, &world.one.key)).await.json()["refundSummary"].clone()
}

/// Asserts status, code, field and message of a refusal.
async fn assert_message(world: &World, request: &Request, (code, message): (&str, &str)) {
    let response = world.send(request).await;
    assert_eq!((response.error().1.as_str(), response.field("/error/message").as_str()), (code, message));
}
