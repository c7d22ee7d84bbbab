//! Events of accounts: one for each change of readiness.

use app::{announce_readiness, probe_accounts};
use chrono::{DateTime, TimeDelta, Utc};
use domain::account::{Probe, ProbeVerdict, Provider};
use ports::{Credentials, MockAccountProvider, ProbeReport};
use serde_json::Value;
use std::sync::Arc;

use crate::support::{Request, SALE, TestResponse, World, on_each_store, with};

const PROFILE: &str = "/v1/merchant_profile";
/// Card with a challenge.
const CHALLENGE: &str = "4222220021000003";
const SECRETS: &str = r#"{"provider":"azul","credentials":{"merchantId":"m-1"}}"#;

/// Returns the account events of the first merchant, oldest first: previous status, status and blockers.
async fn account_events(world: &World) -> Vec<(String, String, Vec<String>)> {
    let path = "/v1/events?type=merchant_account.readiness_changed&limit=100";
    let list = world.send(&Request::get(path, &world.one.key)).await;
    assert_eq!(list.status, 200, "{}", list.text());
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let mut events: Vec<_> = list.json()["data"].as_array().unwrap().clone();
    events.reverse();
    let row = |event: &Value| {
        let data = &event["data"];
        assert_eq!(event["merchantAccountId"], data["object"]["id"]);
        let blockers = data["object"]["readiness"]["blockers"].as_array().unwrap();
        let codes = blockers.iter().map(|it| text(&it["code"])).collect();
        (text(&data["previousStatus"]), text(&data["object"]["readiness"]["status"]), codes)
    };
    events.iter().map(row).collect()
}

fn row(left: &str, now: &str, codes: &[&str]) -> (String, String, Vec<String>) {
    (left.to_owned(), now.to_owned(), codes.iter().map(|&it| it.to_owned()).collect())
}

fn probed(credential_version: u32, verdict: ProbeVerdict, at: DateTime<Utc>, has_3ds: bool) -> ProbeReport {
    let probe = Probe { credential_version, verdict, certificate_until: None, skew: None, at };
    ProbeReport { probe, credentials: Credentials { has_3ds } }
}

/// Probes the accounts several times, as every process does.
async fn look(world: &World) {
    for _ in 0..3 {
        world.clock.advance(TimeDelta::minutes(6));
        announce_readiness(&world.ports, 100).await.unwrap();
    }
}

#[actix_web::test]
async fn a_change_of_readiness_by_an_operator_or_by_time_is_one_event() {
    on_each_store(async |world| {
        look(&world).await;
        assert_eq!(account_events(&world).await, [row("not_ready", "ready", &[])], "the numbers were added");

        world.clock.advance(TimeDelta::days(340));
        look(&world).await;

        assert_eq!(
            account_events(&world).await.last(),
            Some(&row("ready", "degraded", &["fiscal_certificate_expiring"]))
        );
        assert_eq!(account_events(&world).await.len(), 1, "events are read for thirty days");
    })
    .await;
}

#[actix_web::test]
async fn a_change_of_readiness_by_a_merchant_is_an_event_of_that_request() {
    on_each_store(async |world| {
        look(&world).await;
        let put = Request::put(PROFILE, &world.admin().await, r#"{"rnc":"101850043"}"#);

        let (first, again) = (world.send(&put).await, world.send(&put).await);
        look(&world).await;

        assert_eq!((first.status, again.header("idempotent-replayed")), (200, "true"));
        let events = account_events(&world).await;
        assert_eq!((events.len(), &events[1].0[..], &events[1].1[..]), (2, "ready", "not_ready"));
        assert_eq!(events[1].2[0], "merchant_profile_incomplete");
        let newest = world.send(&Request::get("/v1/events?limit=1", &world.one.key)).await;
        assert_eq!(newest.field("/data/0/request/id"), first.header("request-id"));
    })
    .await;
}

#[actix_web::test]
async fn a_provider_report_is_an_event_only_if_it_changes() {
    on_each_store(async |mut world| {
        let (rejected, accepted) = (ProbeVerdict::Rejected, ProbeVerdict::Accepted);
        let mut verdicts = [accepted, accepted, rejected, rejected, accepted].into_iter();
        let (mut azul, clock) = (MockAccountProvider::new(), world.clock.clone());
        azul.expect_check().returning(|_| Ok(Credentials { has_3ds: true }));
        azul.expect_probe().returning(move |_| {
            let (verdict, at) = (verdicts.next()?, ports::Clock::now(&*clock));
            Some(probed(1, verdict, at, true))
        });
        world.ports.providers.insert(Provider::Azul, world.gate.clone());
        world.ports.accounts.insert(Provider::Azul, Arc::new(azul));
        look(&world).await;
        let admin = world.admin().await;
        let made = world.send(&Request::post("/v1/merchant_accounts", &admin, r#"{"provider":"azul"}"#)).await;
        let path = format!("/v1/merchant_accounts/{}/credentials", made.field("/id"));

        let set = world.send(&Request::put(path, &admin, SECRETS)).await;
        for _ in 0..5 {
            world.clock.advance(TimeDelta::minutes(16));
            assert_eq!(probe_accounts(&world.ports, 100).await.unwrap(), 1);
            announce_readiness(&world.ports, 100).await.unwrap();
        }

        assert_eq!((made.status, set.status), (201, 200), "{} {}", made.text(), set.text());
        assert_eq!(
            account_events(&world).await[1..],
            [
                row("not_ready", "ready", &[]),
                row("ready", "not_ready", &["credentials_rejected"]),
                row("not_ready", "ready", &[]),
            ]
        );
    })
    .await;
}

/// The credentials list the 3-D Secure programs that AZUL certified. A payment keeps the programs of the time of
/// creation; without programs the card is charged without 3-D Secure.
#[actix_web::test]
async fn payments_show_3d_secure_as_the_credentials_configure_it() {
    on_each_store(async |mut world| {
        let mut has_3ds = [true, false].into_iter();
        let mut azul = MockAccountProvider::new();
        azul.expect_check().returning(move |_| Ok(Credentials { has_3ds: has_3ds.next().unwrap() }));
        azul.expect_check_same_provider_store().returning(|_, _| Ok(()));
        world.ports.providers.insert(Provider::Azul, world.gate.clone());
        world.ports.accounts.insert(Provider::Azul, Arc::new(azul));
        let admin = world.admin().await;
        let made = world.send(&Request::post("/v1/merchant_accounts", &admin, r#"{"provider":"azul"}"#)).await;
        let account = made.field("/id");
        let path = format!("/v1/merchant_accounts/{account}/credentials");
        let sell = async |reference: &str| {
            let sale = with(SALE, "saleReference", &format!("\"{reference}\""));
            world
                .send(&Request::post("/v1/payments", &world.one.key, sale).with("merchant-account", account.as_str()))
                .await
        };

        world.send(&Request::put(&path, &admin, SECRETS)).await;
        let secured = sell("secured").await;
        let without = world.send(&Request::put(&path, &admin, SECRETS)).await;
        let plain = sell("plain").await;
        let paid = world.send(&world.submission(&plain, CHALLENGE).await).await;
        let asked = world.send(&world.submission(&secured, CHALLENGE).await).await;

        let programs = |it: &TestResponse| it.json()["checkoutDisplay"]["threeDsPrograms"].clone();
        assert_eq!(programs(&secured), serde_json::json!(["program_a", "program_b"]));
        assert_eq!(programs(&plain), serde_json::json!([]));
        assert_eq!(without.field("/readiness/status"), "degraded");
        assert_eq!(without.field("/readiness/blockers/0/code"), "three_ds_not_certified");
        assert_eq!(
            (paid.field("/status"), asked.field("/status")),
            ("succeeded".into(), "requires_customer_action".into())
        );
    })
    .await;
}

/// Credentials may have been stored before programs were read from them:
/// the check of the provider updates the account and appends an event; payments keep their programs.
#[actix_web::test]
async fn programs_in_credentials_are_updated_by_the_provider_check() {
    on_each_store(async |mut world| {
        let mut has_3ds = [false, true].into_iter();
        let (mut azul, clock) = (MockAccountProvider::new(), world.clock.clone());
        azul.expect_check().returning(move |_| Ok(Credentials { has_3ds: false }));
        azul.expect_probe()
            .returning(move |_| Some(probed(1, ProbeVerdict::Accepted, ports::Clock::now(&*clock), has_3ds.next()?)));
        world.ports.providers.insert(Provider::Azul, world.gate.clone());
        world.ports.accounts.insert(Provider::Azul, Arc::new(azul));
        let admin = world.admin().await;
        let made = world.send(&Request::post("/v1/merchant_accounts", &admin, r#"{"provider":"azul"}"#)).await;
        let account = made.field("/id");
        world.send(&Request::put(format!("/v1/merchant_accounts/{account}/credentials"), &admin, SECRETS)).await;

        let mut seen = Vec::new();
        for reference in ["before", "after"] {
            world.clock.advance(TimeDelta::minutes(16));
            assert_eq!(probe_accounts(&world.ports, 100).await.unwrap(), 1);
            let sale = with(SALE, "saleReference", &format!("\"{reference}\""));
            let sale = Request::post("/v1/payments", &world.one.key, sale).with("merchant-account", account.as_str());
            let path = format!("/v1/merchant_accounts/{account}");
            let (sold, read) = (world.send(&sale).await, world.send(&Request::get(&path, &admin)).await);
            let programs = sold.json()["checkoutDisplay"]["threeDsPrograms"].as_array().map(Vec::len);
            seen.push((read.field("/readiness/status"), programs));
        }

        assert_eq!(seen, [("degraded".to_owned(), Some(0)), ("ready".to_owned(), Some(2))]);
    })
    .await;
}

#[actix_web::test]
async fn a_restricted_key_reads_events_of_its_accounts() {
    on_each_store(async |world| {
        look(&world).await;
        let path = "/v1/events?type=merchant_account.readiness_changed";
        let listed = world.send(&Request::get(path, &world.one.key)).await;
        let event = format!("/v1/events/{}", listed.field("/data/0/id"));

        let own = world.send(&Request::get(&event, &world.one.key)).await;
        let restricted = world.restricted().await;
        let for_another = world.send(&Request::get(&event, &restricted)).await;
        let list_of_another = world.send(&Request::get(path, &restricted)).await;

        assert_eq!((own.status, own.field("/type")), (200, "merchant_account.readiness_changed".to_owned()));
        assert_eq!(for_another.error().1, "merchant_account_not_owned");
        assert_eq!(list_of_another.json()["data"], serde_json::json!([]));
    })
    .await;
}
