//! `If-Match` and `expectedAmount`: a command for one version of a resource.

use serde_json::Value;

use crate::support::{
    APPROVED_CARD, ExpectedError, Request, SALE, TestResponse, World, card, check, equally, on_each_store, with,
};

const FAILED: ExpectedError = (412, "precondition_failed", None);
const WRONG_AMOUNT: ExpectedError = (412, "precondition_failed", Some("expectedAmount"));
const MALFORMED: ExpectedError = (400, "parameter_invalid", Some("if-match"));

const CORRECTION: &str = r#"{"kind":"consumer","merchantInvoiceNumber":"INV-2","merchantOrderNumber":"1",
    "lines":[{"sourceLineId":"l1","description":"Cena","quantity":"1","unitPriceMinorUnits":100000,
    "measurementUnit":"unit","itemKind":"service","taxTreatment":"itbis_18","isLegalTipApplicable":false}]}"#;

fn at(created: &TestResponse, suffix: &str) -> String {
    format!("/v1/payments/{}{suffix}", created.field("/id"))
}

fn tip(minor_units: i64) -> String {
    format!(r#"{{"amount":{{"currency":"DOP","minorUnits":{minor_units}}}}}"#)
}

/// Submits the card of a payer after the page showed `minor_units`.
fn shown(minor_units: i64) -> String {
    with(&card(APPROVED_CARD), "expectedAmount", &format!(r#"{{"currency":"DOP","minorUnits":{minor_units}}}"#))
}

#[actix_web::test]
async fn a_card_is_not_charged_for_another_version_or_amount() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let seen = created.header("etag").to_owned();
        let submission = world.submission(&created, APPROVED_CARD).await;
        let other = world.token(&created, "pay").await;
        world.done(&Request::put(at(&created, "/voluntary-tip"), &other, tip(118_000))).await;

        let conditional = |tag: &str| submission.clone().keyed(format!("for {tag}")).and("if-match", tag.to_owned());
        let rows = vec![
            (conditional(&seen), FAILED),
            (conditional(&format!("\"9-9\", {seen}")), FAILED),
            (conditional(&format!("W/{}", current(&world, &created).await)), FAILED),
            (conditional("0-0"), MALFORMED),
            (conditional(""), MALFORMED),
            (submission.clone().sending(shown(118_000)), WRONG_AMOUNT),
            (submission.clone().sending(shown(-1)), WRONG_AMOUNT),
            (submission.clone().sending(shown(236_000).replace("DOP", "USD")), WRONG_AMOUNT),
        ];
        check(&world, rows).await;
        assert!(world.acquirer.transactions().is_empty(), "nothing was submitted");

        let now = current(&world, &created).await;
        let right = submission.clone().and("if-match", format!("\"9-9\", {now}")).sending(shown(236_000));
        let paid = world.send(&right).await;
        assert_eq!((paid.status, paid.field("/status")), (200, "succeeded".to_owned()));
        let again = world.send(&right).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (200, "true"), "a replay has no condition");
        let unconditional = world.send(&submission.clone().sending(shown(236_000))).await;
        assert_eq!(unconditional.header("idempotent-replayed"), "true", "the fingerprint of a key excludes the header");
        let charged: Vec<i64> = world.acquirer.transactions().iter().map(|it| it.amount_minor_units).collect();
        assert_eq!(charged, [236_000]);
    })
    .await;
}

async fn current(world: &World, created: &TestResponse) -> String {
    world.done(&Request::get(at(created, ""), &world.one.key)).await.header("etag").to_owned()
}

/// The tag is the version of the commit: of many clients that read the same version, one succeeds.
#[actix_web::test]
async fn of_concurrent_commands_for_one_version_one_succeeds() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let seen = created.header("etag").to_owned();
        let token = world.token(&created, "pay").await;
        let put = |n: i64| {
            let body = tip(n * 100);
            Request::put(at(&created, "/voluntary-tip"), &token, body)
                .keyed(format!("{n}"))
                .and("if-match", seen.clone())
        };
        let requests: Vec<Request> = (1..=8).map(put).collect();

        let responses = futures_util::future::join_all(requests.iter().map(|it| world.send(it))).await;

        let statuses: Vec<u16> = responses.iter().map(|it| it.status).collect();
        assert_eq!(statuses.iter().filter(|it| **it == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|it| **it == 412).count(), 7, "{statuses:?}");
    })
    .await;
}

/// The order of errors: malformed, not found, another version, another state.
#[actix_web::test]
async fn every_command_about_a_sale_has_a_condition_that_comes_first_among_conflicts() {
    on_each_store(async |world| {
        let created = world.issued(SALE, APPROVED_CARD).await;
        let document = |suffix: &str| format!("/v1/fiscal_documents/{}{suffix}", created.field("/fiscalDocument/id"));
        let key = &world.one.key;
        let split = |request: Request| (request, (404, "payment_split_not_found", None));
        let commands = [
            Request::put(at(&created, "/fiscal-document-choice"), key, r#"{"kind":"consumer"}"#),
            Request::post(at(&created, "/cancellations"), key, r#"{"reason":"other"}"#),
            Request::post(at(&created, "/split"), key, equally(2)),
            Request::post(document("/corrections"), key, CORRECTION),
            Request::post(document("/deliveries"), key, r#"{"recipientEmail":"ana@ejemplo.example"}"#),
        ];
        let stale = |request: &Request| request.clone().and("if-match", "\"0-0\"");
        check(&world, commands.iter().map(|it| (stale(it), FAILED)).collect()).await;
        check(&world, commands.iter().map(|it| (it.clone().and("if-match", "*, \"0-0\""), MALFORMED)).collect()).await;
        let absent = [
            Request::put(at(&created, "/split"), key, equally(2)),
            Request::delete(at(&created, "/split"), key),
            Request::post(at(&created, "/split/captures"), key, "{}"),
            Request::post(at(&created, "/split/releases"), key, r#"{"reason":"other"}"#),
            Request::post(at(&created, "/split/renewals"), key, "{}"),
        ];
        check(&world, absent.iter().map(|it| split(stale(it))).collect()).await;
        let any = commands[0].clone().and("if-match", "*");
        check(&world, vec![(any, (409, "payment_not_editable", None))]).await;
    })
    .await;
}

#[actix_web::test]
async fn every_command_about_a_split_is_for_the_version_of_its_payment() {
    on_each_store(async |world| {
        let bill = world.reserved_bill(2).await;
        let commands = [bill.replace(3), bill.delete(), bill.capture(), bill.release(), bill.renew()];
        let stale = |request: &Request| (request.clone().and("if-match", "\"0-0\""), FAILED);

        check(&world, commands.iter().map(stale).collect()).await;

        let part = bill.card(1, APPROVED_CARD).keyed("a share");
        let whole = with(&card(APPROVED_CARD), "expectedAmount", r#"{"currency":"DOP","minorUnits":118000}"#);
        let whole = with(&whole, "partOrdinal", "1");
        check(&world, vec![(part.sending(whole), WRONG_AMOUNT)]).await;
        let now = world.done(&Request::get(bill.at(""), &world.one.key)).await.header("etag").to_owned();
        let captured = world.done(&bill.capture().and("if-match", now)).await;
        assert_eq!(captured.field("/status"), "succeeded");
    })
    .await;
}

#[actix_web::test]
async fn a_profile_and_an_endpoint_are_changed_for_their_own_versions() {
    on_each_store(async |world| {
        let made = Request::post("/v1/payments", &world.one.key, SALE).and("if-match", "nonsense");
        assert_eq!(world.send(&made).await.status, 201, "a request that creates a resource ignores the header");
        let admin = world.admin().await;
        let profile = world.done(&Request::get("/v1/merchant_profile", &admin)).await;
        let body = r#"{"supportPhone":"809-555-0199"}"#;
        let put = |tag: &str| Request::put("/v1/merchant_profile", &admin, body).and("if-match", tag.to_owned());
        check(&world, vec![(put("\"99\""), FAILED), (put("nonsense"), MALFORMED)]).await;
        world.done(&put(profile.header("etag"))).await;
        check(&world, vec![(put(profile.header("etag")).keyed("again"), FAILED)]).await;

        let hook = r#"{"url":"https://laesquina.example/hook","enabledEvents":["*"]}"#;
        let ignored = Request::post("/v1/webhook_endpoints", &admin, hook).and("if-match", "nonsense");
        let endpoint = world.send(&ignored).await;
        assert_eq!(endpoint.status, 201, "a request that creates a resource ignores the header: {}", endpoint.text());
        let path = format!("/v1/webhook_endpoints/{}", endpoint.field("/id"));
        let commands = [
            Request::patch(&path, &admin, r#"{"status":"disabled"}"#),
            Request::post(format!("{path}/secret-rotations"), &admin, "{}"),
            Request::post(format!("{path}/tests"), &admin, "{}"),
            Request::post(format!("{path}/replays"), &admin, r#"{"since":"2026-03-01T00:00:00Z"}"#),
            Request::delete(&path, &admin),
        ];
        let stale = |it: &Request| (it.clone().and("if-match", "\"7\""), FAILED);
        check(&world, commands.iter().map(stale).collect()).await;
        let changed = world.done(&commands[0].clone().and("if-match", endpoint.header("etag").to_owned())).await;
        assert_ne!(changed.header("etag"), endpoint.header("etag"));
        let published: Value = serde_json::from_str(rest::openapi()).unwrap();
        assert!(published["paths"]["/v1/merchant_profile"]["put"]["responses"]["412"].is_object());
    })
    .await;
}
