//! Codes of the merchant's set-up.

use std::sync::Arc;

use app::Ports;
use domain::account::Provider;
use ports::MockMerchantStore;
use testkit::sample;

use super::Seen;
use crate::support::{Request, SALE, SealedVault, World, with};

pub(super) async fn ask(world: &mut World, seen: &mut Seen) {
    let admin = world.admin().await;
    dollars(world, seen).await;
    accounts(world, seen, &admin).await;
    for n in 0..17 {
        let body = format!(r#"{{"url":"https://hooks.example.do/{n}","enabledEvents":["*"]}}"#);
        let response = world.send(&Request::post("/v1/webhook_endpoints", &admin, body)).await;
        if response.status != 201 {
            seen.note(&response);
        }
    }
    seen.send(world, Request::get("/v1/webhook_endpoints/unknown", &admin)).await;
    profiles(world, seen, &admin).await;
    world.clock.set("2028-02-01T12:00:00Z".parse().unwrap());
    seen.send(world, Request::post("/v1/payments", &world.other.key, SALE)).await;
    let setups = {
        let mut setups = MockMerchantStore::new();
        setups.expect_setup().returning(|_| Ok(ports::Setup::default()));
        setups
    };
    world.ports = Ports { merchants: Arc::new(setups), ..world.ports.clone() };
    seen.send(world, Request::get("/v1/merchant_profile", &admin)).await;
}

/// An account for pesos refuses dollars.
async fn dollars(world: &World, seen: &mut Seen) {
    let account = domain::account::Account { merchant: world.one.tenant.merchant.clone(), ..sample::account() };
    world.ports.registry.add_account(account.clone()).await.unwrap();
    let sale = Request::post("/v1/payments", &world.one.key, with(SALE, "amount.currency", r#""USD""#));
    seen.send(world, sale.clone().with("merchant-account", account.id.as_str())).await;
    seen.send(world, sale).await;
    let elsewhere = domain::account::Account { id: sample::account_id(8), provider: Provider::Azul, ..account };
    world.ports.registry.add_account(elsewhere.clone()).await.unwrap();
    let sale = Request::post("/v1/payments", &world.one.key, SALE);
    seen.send(world, sale.with("merchant-account", elsewhere.id.as_str())).await;
}

async fn accounts(world: &mut World, seen: &mut Seen, admin: &str) {
    let path = format!("/v1/merchant_accounts/{}/credentials", world.one.account);
    let secrets = r#"{"provider":"azul","credentials":{"key":"value"}}"#;
    world.ports.providers.insert(Provider::Azul, world.gate.clone());
    seen.send(world, Request::put(path, admin, secrets)).await;
    let open = world.ports.vault.clone();
    world.ports.vault = Arc::new(SealedVault(open.clone()));
    seen.send(world, Request::post("/v1/merchant_accounts", admin, r#"{"provider":"simulator"}"#)).await;
    world.ports.vault = open;
}

async fn profiles(world: &World, seen: &mut Seen, admin: &str) {
    let created = world
        .send(&Request::post("/v1/payments", &world.one.key, SALE).with("merchant-account", world.one.account.as_str()))
        .await;
    world.send(&Request::put("/v1/merchant_profile", admin, r#"{"rnc":"401000008"}"#)).await;
    seen.send(world, Request::post("/v1/payments", &world.one.key, SALE)).await;
    let choice = r#"{"kind":"fiscal_credit","buyer":{"identityKind":"domestic","taxId":"101000007"}}"#;
    let path = format!("/v1/payments/{}/fiscal-document-choice", created.field("/id"));
    seen.send(world, Request::put(path, &world.one.key, choice)).await;
}
