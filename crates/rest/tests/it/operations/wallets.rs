//! Wallets in place of cards.

use std::sync::Arc;

use domain::{
    account::{Account, Provider},
    catalog::Catalog,
};
use testkit::sample;

use crate::support::{Request, SALE, TestResponse, World, on_each_store, with};

/// Submits the payload of a wallet.
async fn submit(world: &World, created: &TestResponse, kind: &str, payload: &str) -> TestResponse {
    let body = format!(r#"{{"wallet":{{"kind":"{kind}","payload":"{payload}"}}}}"#);
    let path = format!("/v1/payments/{}/card-submissions", created.field("/id"));
    world.send(&Request::post(path, &world.token(created, "pay").await, body)).await
}

#[actix_web::test]
async fn a_wallet_is_charged_if_the_checkout_offers_it() {
    on_each_store(async |mut world| {
        let refused_by_all = {
            let created = world.sale(SALE).await;
            submit(&world, &created, "wallet_a_pay", "simulated:4222220000000008").await
        };
        let mut catalog = Catalog::default();
        catalog.wallets.iter_mut().for_each(|it| it.providers.push(Provider::Simulator));
        world.ports.catalog = Arc::new(catalog);
        let merchant = world.one.tenant.merchant.clone();
        let account = Account { merchant, wallets: vec!["wallet_a_pay".to_owned()], ..sample::account() };
        world.ports.registry.add_account(account.clone()).await.unwrap();
        let at = |account: &str, reference: &str| {
            let sale = with(SALE, "saleReference", &format!("\"{reference}\""));
            Request::post("/v1/payments", &world.one.key, sale).with("merchant-account", account)
        };
        let offered = world.send(&at(account.id.as_str(), "offered")).await;
        let elsewhere = world.send(&at(world.one.account.as_str(), "elsewhere")).await;
        let good = "simulated:4222220000000008";

        let of_another_kind = submit(&world, &offered, "wallet_b_pay", good).await;
        let not_offered = submit(&world, &elsewhere, "wallet_a_pay", good).await;
        let nonsense = submit(&world, &offered, "wallet_a_pay", "nonsense").await;
        let before = world.at_the_acquirer();
        let paid = submit(&world, &offered, "wallet_a_pay", good).await;

        for refused in [refused_by_all, of_another_kind, not_offered] {
            let (status, code, param) = refused.error();
            assert_eq!((status, code.as_str(), param.as_deref()), (400, "parameter_invalid", Some("wallet.kind")));
        }
        assert_eq!(nonsense.error().1, "provider_rejected_request");
        assert_eq!((before.len(), paid.field("/status")), (0, "succeeded".to_owned()));
        assert_eq!(paid.json()["paymentMethodSummary"], serde_json::json!({ "kind": "card" }));
        let rows = world.home.table_reader().await.rows().await;
        assert!(rows.iter().all(|it| !it.contains("simulated:")), "the token of the wallet is stored");
    })
    .await;
}
