//! Refusals that depend on the caller and the names in a request.

use testkit::sample;

use super::{ALL, amount, attribution, correction, preview, refund, retry, shared};
use crate::support::{APPROVED_CARD, ExpectedError, Request, SALE, TestResponse, check, on_each_store, with};

const NOT_PERMITTED: ExpectedError = (403, "refund_not_permitted", None);
const NO_REFUND: ExpectedError = (404, "refund_not_found", Some("refundId"));
const NOT_OWNED: ExpectedError = (403, "merchant_account_not_owned", None);

#[actix_web::test]
async fn a_standard_key_reads_and_previews_and_does_not_refund() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let id = world.done(&refund(&paid, &admin, amount(118_00))).await.field("/id");
        let token = world.token(&paid, "receipt").await;
        let denied = (403, "operation_not_permitted_for_checkout_token", None);
        let requests = |key: &str| [refund(&paid, key, ALL), correction(&id, key, "{}"), attribution(&id, key, ALL)];

        let mut rows: Vec<(Request, ExpectedError)> = Vec::new();
        rows.extend(requests(&world.one.key).map(|request| (request, NOT_PERMITTED)));
        rows.extend(requests(&token).map(|request| (request, denied)));
        rows.push((preview(&paid, &token, ALL), denied));
        rows.push((Request::get(format!("/v1/refunds/{id}"), &token), denied));
        rows.push((Request::get("/v1/refunds", &token), denied));
        check(&world, rows).await;
        assert_eq!(world.send(&preview(&paid, &world.one.key, ALL)).await.status, 200);
        assert_eq!(world.send(&Request::get(format!("/v1/refunds/{id}"), &world.one.key)).await.status, 200);
    })
    .await;
}

#[actix_web::test]
async fn an_unknown_refund_is_not_found_by_its_field() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let theirs = app::operators::create_key(&world.ports, &world.other.tenant, domain::credential::Role::Admin);
        let (theirs, restricted) = (theirs.await.unwrap(), world.restricted().await);
        let id = world.done(&refund(&paid, &admin, amount(118_00))).await.field("/id");
        let unknown = domain::RefundId::new(&sample::symbols(7)).to_string();
        let mut rows: Vec<(Request, ExpectedError)> = Vec::new();
        for (id, key) in [("x", &admin), (unknown.as_str(), &admin), (&paid.field("/id"), &admin), (&id, &theirs)] {
            rows.push((Request::get(format!("/v1/refunds/{id}"), key), NO_REFUND));
            rows.push((correction(id, key, "{}"), NO_REFUND));
            rows.push((attribution(id, key, ALL), NO_REFUND));
        }
        rows.push((Request::get(format!("/v1/refunds/{id}"), &restricted), NOT_OWNED));
        rows.push((correction(&id, &restricted, "{}"), NOT_OWNED));
        rows.push((attribution(&id, &restricted, ALL), NOT_OWNED));
        let retried = (404, "refund_not_found", Some("retriedRefundId"));
        for id in ["x", &unknown] {
            rows.push((refund(&paid, &admin, retry(id)), retried));
            rows.push((preview(&paid, &admin, retry(id)), retried));
        }
        let no_payment = (404, "payment_not_found", Some("paymentId"));
        for key in [&theirs, &admin] {
            let to = |request: Request| {
                let target = request.target.replace(&paid.field("/id"), sample::payment_id(7).as_str());
                if *key == theirs { request } else { Request { target, ..request } }
            };
            rows.push((to(refund(&paid, key, ALL)), no_payment));
            rows.push((to(preview(&paid, key, ALL)), no_payment));
        }
        rows.push((refund(&paid, &restricted, ALL), NOT_OWNED));
        rows.push((preview(&paid, &restricted, ALL), NOT_OWNED));
        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn a_refund_of_another_merchant_is_not_retried() {
    on_each_store(async |world| {
        let (admin, paid) = (world.admin().await, world.issued(SALE, APPROVED_CARD).await);
        let id = world.done(&refund(&paid, &admin, amount(118_00))).await.field("/id");
        let theirs = app::operators::create_key(&world.ports, &world.other.tenant, domain::credential::Role::Admin);
        let theirs = theirs.await.unwrap();
        let open = world.done(&Request::post("/v1/payments", &world.other.key, SALE)).await;

        check(&world, vec![(refund(&open, &theirs, retry(&id)), (404, "refund_not_found", Some("retriedRefundId")))])
            .await;
    })
    .await;
}

#[actix_web::test]
async fn parts_name_the_split() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let (whole, shared) = (world.issued(SALE, APPROVED_CARD).await, shared(&world).await);
        let part = |ordinal: u8| format!(r#"{{"ordinal":{ordinal},"amount":{{"currency":"DOP","minorUnits":11800}}}}"#);
        let body = |parts: &str| with(&amount(118_00), "parts", parts);
        let no_part = (404, "payment_part_not_found", Some("parts.1.ordinal"));
        let both = format!("[{},{}]", part(1), part(3));
        let twice = format!("[{},{}]", part(1), part(1));
        let dollars = body(&format!("[{}]", part(1).replace("DOP", "USD")));

        let requests: [fn(&TestResponse, &str, String) -> Request; 2] = [refund, preview];
        let rows = requests.map(|ask| {
            vec![
                (ask(&whole, &admin, body(&format!("[{}]", part(1)))), (404, "payment_split_not_found", Some("parts"))),
                (ask(&whole, &admin, body(&twice)), (400, "parameter_invalid", Some("parts.1.ordinal"))),
                (ask(&shared, &admin, body(&both)), no_part),
                (ask(&shared, &admin, body(&twice)), (400, "parameter_invalid", Some("parts.1.ordinal"))),
                (ask(&shared, &admin, dollars.clone()), (400, "parameter_invalid", Some("parts.0.amount.currency"))),
            ]
        });
        check(&world, rows.concat()).await;
    })
    .await;
}
