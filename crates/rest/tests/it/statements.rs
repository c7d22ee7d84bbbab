//! Database round trips of each operation after authentication.

use std::{fmt::Write as _, fs, path::Path};

use chrono::TimeDelta;
use rest::State;

use crate::support::{
    APPROVED_CARD, Backend, Bill, DECLINED_CARD, Request, SALE, TestResponse, World, card, install_recorder,
    record_statements_of, round_trips_after_authentication, token_request, with,
};

/// Maximum of an operation: round trips to the database, and commits.
type Budget = (usize, usize);

/// Builds a request from a new payment and a pay token.
type Ask = fn(&World, &TestResponse, &str) -> Request;

/// Maxima of the operations of a sale.
const OPERATIONS: [(&str, Budget, Ask); 13] = [
    ("POST /v1/payments", (2, 1), |world, _, _| Request::post("/v1/payments", &world.one.key, SALE)),
    ("the same again", (1, 0), |world, _, _| {
        Request::post("/v1/payments", &world.one.key, SALE).keyed("the-first-of-all")
    }),
    ("GET /v1/payments/{paymentId}", (1, 0), |world, created, _| Request::get(of(created, ""), &world.one.key)),
    ("GET /v1/payments", (1, 0), |world, _, _| Request::get("/v1/payments?limit=20", &world.one.key)),
    ("POST /v1/checkout_tokens", (3, 1), |world, created, _| {
        let body = token_request(&created.field("/checkoutReference"), "pay");
        Request::post("/v1/checkout_tokens", &world.one.key, body)
    }),
    ("PUT /v1/payments/{paymentId}/voluntary-tip", (3, 1), |_, created, token| {
        let tip = r#"{"amount":{"currency":"DOP","minorUnits":1000}}"#;
        Request::put(of(created, "/voluntary-tip"), token, tip)
    }),
    ("POST /v1/payments/{paymentId}/card-submissions", (4, 2), |_, created, token| {
        Request::post(of(created, "/card-submissions"), token, card(APPROVED_CARD))
    }),
    ("the same, declined", (4, 2), |_, created, token| {
        Request::post(of(created, "/card-submissions"), token, card(DECLINED_CARD))
    }),
    ("POST /v1/payments/{paymentId}/cancellations", (3, 1), |world, created, _| {
        Request::post(of(created, "/cancellations"), &world.one.key, r#"{"reason":"other"}"#)
    }),
    ("GET /v1/fiscal_documents/{id}", (1, 0), |world, created, _| {
        Request::get(format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id")), &world.one.key)
    }),
    ("GET /v1/refunds", (1, 0), |world, _, _| Request::get("/v1/refunds?limit=20", &world.one.key)),
    ("GET /v1/events", (1, 0), |world, _, _| Request::get("/v1/events?limit=20", &world.one.key)),
    ("GET /v1/merchant_profile", (1, 0), |world, _, _| Request::get("/v1/merchant_profile", &world.one.key)),
];

/// State of a bill of two when the operation is called.
#[derive(Clone, Copy)]
enum Stage {
    Whole,
    Shared,
    Reserved,
    Expired,
}

/// Maximum of an operation of a split.
type AskOfBill = fn(&Bill) -> Request;

/// Every operation of a split. Each capture and each release is one commit.
const OF_A_SPLIT: [(&str, Budget, Stage, AskOfBill); 9] = [
    ("POST /v1/payments/{paymentId}/split", (4, 1), Stage::Whole, |bill| bill.open(2)),
    ("GET /v1/payments/{paymentId}/split", (1, 0), Stage::Shared, |bill| Request::get(bill.at(""), &bill.token)),
    ("PUT /v1/payments/{paymentId}/split", (5, 1), Stage::Shared, |bill| bill.replace(3)),
    ("DELETE /v1/payments/{paymentId}/split", (3, 1), Stage::Shared, Bill::delete),
    ("GET /v1/payments/{paymentId}/split/parts/{ordinal}", (1, 0), Stage::Shared, |bill| {
        Request::get(bill.at("/parts/1"), &bill.token)
    }),
    ("POST /v1/payments/{paymentId}/card-submissions, of a part", (4, 2), Stage::Shared, |bill| {
        bill.card(1, APPROVED_CARD)
    }),
    ("POST /v1/payments/{paymentId}/split/captures, of two", (8, 3), Stage::Reserved, Bill::capture),
    ("POST /v1/payments/{paymentId}/split/releases, of two", (7, 3), Stage::Reserved, Bill::release),
    ("POST /v1/payments/{paymentId}/split/renewals", (6, 1), Stage::Expired, Bill::renew),
];

/// Sale with a refund of a part.
struct Refunded {
    created: TestResponse,
    refund: String,
    admin: String,
    receipt: String,
}

/// Builds a request about a sale with a refund.
type AskOfRefund = fn(&Refunded) -> Request;

/// Body of a refund of a part.
const REFUND: &str = r#"{"scope":"amount","reason":"other","amount":{"currency":"DOP","minorUnits":11800}}"#;

/// Operations of a refund. A refund has an intent, and the outcome with its credit note.
const OF_A_REFUND: [(&str, Budget, AskOfRefund); 6] = [
    ("POST /v1/payments/{paymentId}/refunds", (7, 2), |sale| {
        Request::post(of(&sale.created, "/refunds"), &sale.admin, REFUND)
    }),
    ("the same, outside the acquirer", (5, 1), |sale| {
        Request::post(of(&sale.created, "/refunds"), &sale.admin, with(REFUND, "settlement", r#""outside""#))
    }),
    ("POST /v1/payments/{paymentId}/refunds/preview", (3, 0), |sale| {
        Request::post(of(&sale.created, "/refunds/preview"), &sale.admin, REFUND).without("idempotency-key")
    }),
    ("GET /v1/refunds/{refundId}", (1, 0), |sale| Request::get(format!("/v1/refunds/{}", sale.refund), &sale.admin)),
    ("GET /v1/payments/{paymentId}, with a refund", (1, 0), |sale| Request::get(of(&sale.created, ""), &sale.admin)),
    ("the same, by a payer", (2, 0), |sale| Request::get(of(&sale.created, ""), &sale.receipt)),
];

#[actix_web::test]
async fn operations_stay_within_their_database_round_trips() {
    let mut page = String::from(
        "# Statements\n\nStatements and round trips of each operation after authentication. Look-ups that are made at the same time are one\n\
         round trip. On each connection one more statement goes ahead, within the same round trip: it names the tenant\n\
         whose rows may be seen.\n\n\
         | operation | statements | round trips | commits |\n|---|---|---|---|\n",
    );
    install_recorder();
    let mut world = Backend::Postgres.world().await;
    // On a slow machine, renewals of the lease must not add round trips.
    world.lease_renewal = State::LEASE_RENEWAL;
    let _turn = record_statements_of(&world.home.address()).await;
    let first = Request::post("/v1/payments", &world.one.key, SALE).keyed("the-first-of-all");
    world.send(&first).await;

    for (name, budget, ask) in OPERATIONS {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        measure(&world, name, budget, &ask(&world, &created, &token), &mut page).await;
    }
    for (name, budget, stage, ask) in OF_A_SPLIT {
        let bill = bill(&world, stage).await;
        measure(&world, name, budget, &ask(&bill), &mut page).await;
    }
    for (name, budget, ask) in OF_A_REFUND {
        measure(&world, name, budget, &ask(&refunded(&world).await), &mut page).await;
    }
    check_page(&page);
}

async fn refunded(world: &World) -> Refunded {
    let (created, admin) = (world.issued(SALE, APPROVED_CARD).await, world.admin().await);
    let refund = world.done(&Request::post(of(&created, "/refunds"), &admin, REFUND)).await.field("/id");
    Refunded { receipt: world.token(&created, "receipt").await, created, refund, admin }
}

async fn measure(world: &World, name: &str, budget: Budget, request: &Request, page: &mut String) {
    round_trips_after_authentication();
    let before = world.sale_store.commits();

    let response = world.send(request).await;

    let trips = round_trips_after_authentication();
    let commits = world.sale_store.commits() - before;
    assert!(response.status < 300, "{name}: {}", response.text());
    let statements: usize = trips.iter().map(Vec::len).sum();
    assert_eq!((trips.len(), commits), budget, "{name}: {trips:#?}");
    writeln!(page, "| {name} | {statements} | {} | {commits} |", trips.len()).unwrap();
}

async fn bill(world: &World, stage: Stage) -> Bill {
    match stage {
        Stage::Whole => {
            let created = world.sale(SALE).await;
            Bill { token: world.token(&created, "pay").await, created }
        }
        Stage::Shared => world.bill(2).await,
        Stage::Reserved => world.reserved_bill(2).await,
        Stage::Expired => {
            // A renewal looks for another payment with the same reference.
            let sale = world.sale(&with(SALE, "saleReference", r#""expired-and-renewed""#)).await;
            let bill = world.shared(sale, 2).await;
            world.clock.advance(TimeDelta::hours(2));
            world.settle(&bill).await;
            bill
        }
    }
}

fn of(created: &TestResponse, what: &str) -> String {
    format!("/v1/payments/{}{what}", created.field("/id"))
}

#[track_caller]
fn check_page(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/statements.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "{} is stale: run `cargo xtask update`", path.display());
}
