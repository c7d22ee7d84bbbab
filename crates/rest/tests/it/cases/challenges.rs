//! Challenged payers that return twice, too late, or never.

use chrono::TimeDelta;
use futures_util::future::join_all;
use sandbox::{Fault, Target};

use super::{event_count, payment, settle};
use crate::support::{
    APPROVED_CARD, Log, Request, SALE, Served, TestResponse, World, challenge_path, equally, form, on_each_store,
    on_one_store, with,
};

const FRICTIONLESS: &str = "4222220020000004";
const CHALLENGE: &str = "4222220021000003";
const BOTH: &str = "4222220022000002";
const FAILS: &str = "4222220023000993";

/// Returns the number of returns of that kind that moved no attempt.
async fn ignored(world: &World, kind: &str) -> usize {
    let rows = world.home.table_reader().await.rows().await;
    let is_ignored = |it: &&String| {
        let words: Vec<&str> = it.split([',', '(', ')', '\'', ' ']).filter(|it| !it.is_empty()).collect();
        let at = words.iter().position(|it| *it == kind);
        words.first() == Some(&"challenge_returns:") && at.is_some_and(|at| ["f", "0"].contains(&words[at + 1]))
    };
    rows.iter().filter(is_ignored).count()
}

async fn kinds(world: &World, created: &TestResponse) -> Vec<String> {
    let path = format!("/v1/events?limit=100&paymentId={}", created.field("/id"));
    let events = world.send(&Request::get(path, &world.one.key)).await.json();
    let mut all: Vec<(u64, String)> = events["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["sequence"].as_u64().unwrap(), it["type"].as_str().unwrap().to_owned()))
        .filter(|(_, kind)| kind.starts_with("payment."))
        .collect();
    all.sort();
    all.into_iter().map(|(_, kind)| kind).collect()
}

#[actix_web::test]
async fn a_challenged_payer_returns_and_has_paid() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let challenged = payment(&world, &created).await;
        let back = world.issuers_result(&path, true).await;
        let before = world.at_the_acquirer();

        let returned = world.send(&back).await;

        assert_eq!((before, world.at_the_acquirer()), (vec!["authenticating"], vec!["approved"]));
        assert_eq!((returned.status, returned.header("location").get(..3)), (303, Some("/p/")));
        assert!(world.page(returned.header("location")).await.text().contains("Pago completado"));
        assert_eq!(payment(&world, &created).await.field("/status"), "succeeded");
        assert_eq!(challenged.field("/nextAction/expiresAt"), "2026-03-01T12:15:00.000Z");
        let all = ["created", "processing", "requires_customer_action", "processing", "succeeded"];
        assert_eq!(kinds(&world, &created).await, all.map(|it| format!("payment.{it}")));
    })
    .await;
}

#[actix_web::test]
async fn the_issuer_may_challenge_after_it_examined_the_browser() {
    on_each_store(async |world| {
        for (number, ends_at) in [(FRICTIONLESS, "succeeded"), (BOTH, "requires_customer_action"), (FAILS, "declined")]
        {
            let created = world.sale(SALE).await;
            let path = world.challenged(&created, number).await;
            let page = world.page(&path).await;
            let notify = format!("{path}/look");

            let too_soon = world.send(&form(&format!("{path}/go-on"), &[])).await;
            let still = payment(&world, &created).await;
            let noticed = world.send(&form(&notify, &[("threeDSMethodData", "e30=")])).await;
            let went_on = world.send(&form(&format!("{path}/go-on"), &[])).await;

            assert!(page.text().contains("<iframe") && page.text().contains("go-on"), "{}", page.text());
            assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
            assert_eq!((too_soon.status, too_soon.header("location")), (303, path.as_str()));
            assert_eq!(still.field("/status"), "requires_customer_action", "{number}");
            assert_eq!((noticed.status, went_on.status), (200, 303), "{number}");
            assert_eq!(payment(&world, &created).await.field("/status"), ends_at, "{number}");
            if number == BOTH {
                assert_eq!(went_on.header("location"), path, "the same page requires the next step");
                world.send(&world.issuers_result(&path, true).await).await;
                assert_eq!(payment(&world, &created).await.field("/status"), "succeeded");
            }
        }
    })
    .await;
}

#[actix_web::test]
async fn a_failed_authentication_is_a_retryable_decline() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, CHALLENGE).await;

        world.send(&world.issuers_result(&path, false).await).await;

        let declined = payment(&world, &created).await;
        assert_eq!((declined.field("/status"), declined.field("/decline/code")), failed_authentication());
        assert_eq!(declined.json()["decline"]["canTryAgain"], true);
        let paid = world.send(&world.submission(&created, APPROVED_CARD).await).await;
        assert_eq!(paid.field("/status"), "succeeded");
    })
    .await;
}

fn failed_authentication() -> (String, String) {
    ("declined".to_owned(), "authentication_failed".to_owned())
}

#[actix_web::test]
async fn commands_are_refused_while_a_challenge_is_pending() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        world.challenged(&created, CHALLENGE).await;
        let (token, path) = (world.token(&created, "pay").await, format!("/v1/payments/{}", created.field("/id")));
        let cancel = r#"{"reason":"requested_by_merchant"}"#;
        let tip = r#"{"amount":{"minorUnits":100,"currency":"DOP"}}"#;

        let responses = [
            world.send(&world.submission(&created, APPROVED_CARD).await).await,
            world.send(&Request::post(format!("{path}/cancellations"), &world.one.key, cancel)).await,
            world.send(&Request::post(format!("{path}/split"), &token, equally(2))).await,
            world.send(&Request::put(format!("{path}/voluntary-tip"), &token, tip)).await,
        ];

        for response in responses {
            let (status, code, _) = response.error();
            assert_eq!((status, code.as_str()), (409, "payment_method_already_in_progress"));
        }
        assert_eq!(world.at_the_acquirer(), ["authenticating"]);
    })
    .await;
}

/// A16: the return of a first challenge was attributed to the second.
#[actix_web::test]
async fn an_old_challenge_moves_no_newer_attempt() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let first = world.challenged(&created, CHALLENGE).await;
        let back = world.issuers_result(&first, true).await;
        world.clock.advance(TimeDelta::minutes(15));
        settle(&world, &created).await;
        let second = world.challenged(&created, CHALLENGE).await;
        let before = payment(&world, &created).await;

        let returned = world.send(&back).await;

        assert_eq!((returned.status, returned.header("location").get(..3)), (303, Some("/p/")));
        assert_eq!(payment(&world, &created).await.text(), before.text());
        assert_eq!(world.at_the_acquirer(), ["authenticating"; 2]);
        assert_eq!(ignored(&world, "answer").await, 1);
        world.send(&world.issuers_result(&second, true).await).await;
        assert_eq!(payment(&world, &created).await.field("/status"), "succeeded");
    })
    .await;
}

/// A17: a payer that never returned from the issuer could not pay any more.
#[actix_web::test]
async fn an_abandoned_challenge_is_a_decline_after_a_quarter_of_an_hour() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let late = world.issuers_result(&path, true).await;
        world.clock.advance(TimeDelta::minutes(15) - TimeDelta::seconds(1));
        settle(&world, &created).await;
        let just_before = payment(&world, &created).await;
        world.clock.advance(TimeDelta::seconds(1));
        settle(&world, &created).await;

        let abandoned = payment(&world, &created).await;

        assert_eq!(just_before.field("/status"), "requires_customer_action");
        assert_eq!((abandoned.field("/status"), abandoned.field("/decline/code")), failed_authentication());
        assert_eq!(abandoned.json()["decline"]["canTryAgain"], true);
        assert_eq!(world.send(&late).await.status, 303);
        assert_eq!(payment(&world, &created).await.text(), abandoned.text(), "a late return has no effect");
        let paid = world.send(&world.submission(&created, APPROVED_CARD).await).await;
        assert_eq!((paid.field("/status"), paid.field("/id")), ("succeeded".to_owned(), created.field("/id")));
        assert_eq!(world.at_the_acquirer(), ["authenticating", "approved"]);
    })
    .await;
}

/// A17: the same for one share of a bill, which stays `processing`.
#[actix_web::test]
async fn an_abandoned_challenge_of_a_share_leaves_the_share_payable() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let token = &bill.token;
        let submitted = world.send(&bill.card(1, CHALLENGE)).await;
        let part = world.send(&Request::get(bill.at("/parts/1"), token)).await;
        challenge_path(&part);
        world.clock.advance(TimeDelta::minutes(15));
        settle(&world, &bill.created).await;

        let abandoned = world.send(&Request::get(bill.at("/parts/1"), token)).await;

        assert_eq!(submitted.field("/status"), "requires_customer_action");
        assert_eq!(part.field("/status"), "processing");
        assert_eq!((abandoned.field("/status"), abandoned.field("/decline/code")), failed_authentication());
        assert_eq!(abandoned.json()["decline"]["canTryAgain"], true);
        let path = challenge_path(&{
            world.send(&bill.card(1, CHALLENGE)).await;
            world.send(&Request::get(bill.at("/parts/1"), token)).await
        });
        world.send(&world.issuers_result(&path, true).await).await;
        let held = world.send(&Request::get(bill.at("/parts/1"), token)).await;
        assert_eq!(held.field("/status"), "authorized");
    })
    .await;
}

/// A20: a repeated notification of the issuer was an error, which the issuer repeated forever.
#[actix_web::test]
async fn a_repeated_notice_of_the_issuer_is_no_error() {
    on_one_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, BOTH).await;
        let notice = form(&format!("{path}/look"), &[("threeDSMethodData", "e30=")]);
        let log = Log::in_json();

        let noticed = [world.send(&notice).await.status, world.send(&notice).await.status];
        world.send(&form(&format!("{path}/go-on"), &[])).await;
        let late = world.send(&notice).await.status;
        let back = world.issuers_result(&path, true).await;
        let answered = [world.send(&back).await.status, world.send(&back).await.status];

        assert_eq!((noticed, late, answered), ([200; 2], 200, [303; 2]));
        assert!(!log.text().contains("\"level\":\"ERROR\""), "{}", log.text());
        assert_eq!(payment(&world, &created).await.field("/status"), "succeeded");
        assert_eq!(event_count(&world, &created, "payment.succeeded").await, 1);
        assert_eq!((ignored(&world, "notice").await, ignored(&world, "answer").await), (1, 1));
    })
    .await;
}

/// A19: a browser that sends the form twice at once is charged once.
#[actix_web::test]
async fn of_ten_concurrent_returns_one_counts() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let back = world.issuers_result(&path, true).await;
        let served = Served::start(&world);

        let responses = join_all((0..10).map(|_| served.send(&back))).await;

        assert!(responses.iter().all(|it| it.status == 303));
        assert_eq!(payment(&world, &created).await.field("/status"), "succeeded");
        assert_eq!(world.at_the_acquirer(), ["approved"]);
        for kind in ["payment.succeeded", "fiscal_document.issuing"] {
            assert_eq!(event_count(&world, &created, kind).await, 1, "{kind}");
        }
        assert_eq!(event_count(&world, &created, "payment.processing").await, 2);
        served.stop().await;
    })
    .await;
}

/// Whether the response or the request of the last step is lost: the outcome is looked up, and the payer pays once.
#[actix_web::test]
async fn a_return_without_a_provider_response_is_looked_up() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let back = world.issuers_result(&path, true).await;
        world.faults.inject(Target::Acquirer, Fault::AfterCommit, 1).unwrap();

        world.send(&back).await;
        let verifying = payment(&world, &created).await;
        world.clock.advance(TimeDelta::seconds(15));
        settle(&world, &created).await;

        assert_eq!(verifying.field("/status"), "verifying");
        assert_eq!(payment(&world, &created).await.field("/status"), "succeeded");

        let created = world.sale(&with(SALE, "saleReference", "\"another\"")).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let back = world.issuers_result(&path, true).await;
        world.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();
        world.send(&back).await;
        // The card was submitted, so the attempt counts; another may follow.
        let declined = payment(&world, &created).await;
        assert_eq!(declined.field("/decline/code"), "authentication_failed");
        let paid = world.send(&world.submission(&created, APPROVED_CARD).await).await;
        assert_eq!(paid.field("/status"), "succeeded");
    })
    .await;
}

/// The same for a share: without the provider no funds are reserved, so the part is declined and can be paid again.
#[actix_web::test]
async fn a_return_of_a_share_that_the_provider_does_not_take_declines_the_share() {
    on_each_store(async |world| {
        let bill = world.bill(2).await;
        let part = async || world.send(&Request::get(bill.at("/parts/1"), &bill.token)).await;
        world.send(&bill.card(1, CHALLENGE)).await;
        let back = world.issuers_result(&challenge_path(&part().await), true).await;
        world.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();

        let returned = world.send(&back).await;

        let declined = part().await;
        assert_eq!(
            (returned.status, (declined.field("/status"), declined.field("/decline/code"))),
            (303, failed_authentication())
        );
        assert_eq!(declined.json()["decline"]["canTryAgain"], true);
        assert_eq!(world.at_the_acquirer(), ["authenticating"]);
        world.send(&bill.card(1, APPROVED_CARD)).await;
        assert_eq!(part().await.field("/status"), "authorized");
        assert_eq!(world.at_the_acquirer(), ["authenticating", "held"]);
    })
    .await;
}

/// The process that accepted the return ended before the call to the provider.
#[actix_web::test]
async fn a_return_that_never_reached_the_provider_is_reconciled() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let back = world.issuers_result(&path, true).await;
        world.gate.block_calls();
        let served = Served::start(&world);
        let (_, ()) =
            tokio::join!(tokio::time::timeout(std::time::Duration::from_secs(1), served.send(&back)), async {
                world.gate.until_blocked().await;
            });
        assert_eq!(payment(&world, &created).await.field("/status"), "processing");
        for minutes in [3, 1, 3, 10, 30] {
            world.clock.advance(TimeDelta::minutes(minutes));
            settle(&world, &created).await;
        }

        let found = payment(&world, &created).await;

        assert_eq!((found.field("/status"), found.field("/decline/code")), failed_authentication());
        assert_eq!(world.at_the_acquirer(), ["authenticating"]);
        world.gate.stop_blocking();
        world.gate.let_one_pass();
        served.stop().await;
    })
    .await;
}

#[actix_web::test]
async fn an_unknown_return_link_reveals_no_payment() {
    on_one_store(async |world| {
        let unknown = format!("/c/{}", "0".repeat(52));
        let created = world.sale(SALE).await;
        let link = created.field("/nextAction/url").rsplit('/').next().unwrap().to_owned();
        for path in [unknown, "/c/nonsense".to_owned(), format!("/c/{link}")] {
            let read = world.page(&path).await;
            let answered = world.send(&form(&format!("{path}/answer"), &[("cres", "eyJ9")])).await;
            let looked = world.send(&form(&format!("{path}/look"), &[])).await;
            let went_on = world.send(&form(&format!("{path}/go-on"), &[])).await;

            assert_eq!([read.status, answered.status, looked.status, went_on.status], [404; 4], "{path}");
        }
    })
    .await;
}

#[actix_web::test]
async fn a_malformed_return_of_an_issuer_is_refused() {
    on_one_store(async |world| {
        let created = world.sale(SALE).await;
        let path = world.challenged(&created, CHALLENGE).await;
        let target = format!("{path}/answer");
        let long = "a".repeat(20_000);

        for body in [form(&target, &[]), form(&target, &[("cres", "")]), form(&target, &[("cres", &long)])] {
            assert_eq!(world.send(&body).await.status, 400);
        }
        assert_eq!(world.send(&Request::bare("GET", target.as_str())).await.status, 405);

        assert_eq!(payment(&world, &created).await.field("/status"), "requires_customer_action");
        assert_eq!(world.at_the_acquirer(), ["authenticating"]);
    })
    .await;
}
