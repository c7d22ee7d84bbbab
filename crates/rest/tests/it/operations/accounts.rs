use std::sync::Arc;

use app::{
    operators::{SetupError, set_credentials},
    probe_accounts,
};
use chrono::TimeDelta;
use domain::{
    MerchantAccountId,
    account::{Probe, ProbeVerdict, Provider},
};
use ports::{Clock, CredentialFault, Credentials, MockAccountProvider, ProbeReport};
use testkit::sample;
use vault::{MasterKey, Vault};

use super::{DENIED, EXPIRED, NOT_ADMIN, NOT_LIVE, NOT_OWNED, check_replay, invalid, missing};
use crate::support::{Request, SALE, SealedVault, World, check, on_each_store};

const PATH: &str = "/v1/merchant_accounts";
const WISH: &str = r#"{"provider":"simulator","venueReference":"venue-2"}"#;
const SECRETS: &str = r#"{"provider":"simulator","credentials":{"merchantId":"m-1","authKey":"s3cr3t-value"}}"#;

fn at(account: &str) -> String {
    format!("{PATH}/{account}/credentials")
}

#[actix_web::test]
async fn an_account_is_created_and_gets_credentials() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let creation = Request::post(PATH, &admin, WISH);

        let made = check_replay(&world, &creation, r#"{"provider":"simulator"}"#).await;
        let put = Request::put(at(&made.field("/id")), &admin, SECRETS);
        let updated = check_replay(&world, &put, &SECRETS.replace("m-1", "m-2")).await;
        let read = world.send(&Request::get(format!("{PATH}/{}", made.field("/id")), &admin)).await;

        assert_eq!((made.status, made.field("/object")), (201, "merchant_account".to_owned()));
        assert_eq!((made.field("/provider"), made.field("/mode")), ("simulator".into(), "test".into()));
        assert_eq!(made.field("/venueReference"), "venue-2");
        assert_eq!((updated.status, updated.field("/id")), (200, made.field("/id")));
        assert_eq!(read.json()["credentialVersion"], 1);
        assert!(!updated.text().contains("s3cr3t") && !read.text().contains("s3cr3t"));
        world.clock.advance(TimeDelta::hours(72) + TimeDelta::seconds(1));
        check(&world, vec![(creation, EXPIRED), (put, EXPIRED)]).await;
    })
    .await;
}

#[actix_web::test]
async fn an_invalid_account_is_refused() {
    on_each_store(async |world| {
        let admin = world.admin().await;
        let token = world.token(&world.sale(SALE).await, "pay").await;
        let post = |body: &str| Request::post(PATH, &admin, body);

        let rows = vec![
            (Request::post(PATH, &token, WISH), DENIED),
            (Request::post(PATH, &world.one.key, WISH), NOT_ADMIN),
            (Request::post(PATH, &world.live().await, WISH), NOT_LIVE),
            (post(WISH).without("idempotency-key"), missing("idempotency-key")),
            (post("{}"), missing("provider")),
            (post(r#"{"provider":7}"#), invalid("provider")),
            (post(r#"{"provider":"azul"}"#), (400, "provider_not_available", Some("provider"))),
            (post(r#"{"provider":"unknown"}"#), (400, "provider_not_available", Some("provider"))),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn invalid_credentials_of_an_account_are_refused() {
    on_each_store(async |mut world| {
        world.ports.providers.insert(Provider::Azul, world.gate.clone());
        let admin = world.admin().await;
        let token = world.token(&world.sale(SALE).await, "pay").await;
        let account = world.one.account.to_string();
        let put = |body: &str| Request::put(at(&account), &admin, body);
        let not_found = (404, "merchant_account_not_found", Some("merchantAccountId"));
        let theirs = world.other.account.to_string();

        let rows = vec![
            (Request::put(at(&account), &token, SECRETS), DENIED),
            (Request::put(at(&account), &world.one.key, SECRETS), NOT_ADMIN),
            (Request::put(at(&account), &world.live().await, SECRETS), NOT_LIVE),
            (put(SECRETS).without("idempotency-key"), missing("idempotency-key")),
            (put(r#"{"provider":"simulator"}"#), missing("credentials")),
            (put(r#"{"provider":"simulator","credentials":{}}"#), invalid("credentials")),
            (Request::put(at("x"), &admin, SECRETS), not_found),
            (Request::put(at(sample::account_id(7).as_str()), &admin, SECRETS), not_found),
            (Request::put(at(&theirs), &admin, SECRETS), not_found),
            (Request::put(at(&account), &world.restricted().await, SECRETS), NOT_OWNED),
            (put(&SECRETS.replace("simulator", "unknown")), (400, "provider_not_available", Some("provider"))),
            (put(&SECRETS.replace("simulator", "azul")), (422, "merchant_account_provider_mismatch", Some("provider"))),
        ];

        check(&world, rows).await;
    })
    .await;
}

#[actix_web::test]
async fn an_account_is_not_created_if_credentials_cannot_be_stored() {
    on_each_store(async |mut world| {
        world.ports.vault = Arc::new(SealedVault(world.ports.vault.clone()));
        let admin = world.admin().await;

        let sealed = (422, "credential_storage_unavailable", None);
        let rows = vec![
            (Request::post(PATH, &admin, WISH), sealed),
            (Request::put(at(world.one.account.as_str()), &admin, SECRETS), sealed),
        ];

        check(&world, rows).await;
    })
    .await;
}

/// A provider with the store in the credentials.
fn place_by_place() -> MockAccountProvider {
    let mut azul = MockAccountProvider::new();
    azul.expect_check().returning(|_| Ok(Credentials { has_3ds: false }));
    azul.expect_check_same_provider_store().returning(|before, after| {
        if before == after { Ok(()) } else { Err(CredentialFault::Invalid("store", "It is another.")) }
    });
    azul
}

fn store(name: &str) -> String {
    format!(r#"{{"provider":"azul","credentials":{{"store":"{name}"}}}}"#)
}

/// Charges at one store are unknown at another: a look-up there would find no charge, and the
/// payer would pay again.
#[actix_web::test]
async fn an_account_with_payments_keeps_its_provider_store() {
    on_each_store(async |mut world| {
        world.ports.providers.insert(Provider::Azul, world.gate.clone());
        world.ports.accounts.insert(Provider::Azul, Arc::new(place_by_place()));
        let admin = world.admin().await;
        let made = world.send(&Request::post(PATH, &admin, r#"{"provider":"azul"}"#)).await;
        let account = made.field("/id");
        let put = |name: &str, key: &str| Request::put(at(&account), &admin, store(name)).keyed(key);
        let status = async |world: &World, request: Request| world.send(&request).await.status;

        let before = [status(&world, put("mistyped", "k-1")).await, status(&world, put("right", "k-2")).await];
        let sale = Request::post("/v1/payments", &world.one.key, SALE).with("merchant-account", account.as_str());
        let sold = status(&world, sale).await;
        let elsewhere = (400, "parameter_invalid", Some("credentials.store"));
        check(&world, vec![(put("another", "k-3"), elsewhere)]).await;
        let after = [status(&world, put("right", "k-4")).await, status(&world, put("mistyped", "k-1")).await];
        let by_hand = set_by_hand(&world, &account, "another").await;

        assert_eq!((made.status, before, sold, after), (201, [200, 200], 201, [200, 200]), "{}", made.text());
        assert!(matches!(by_hand, Err(SetupError::Credentials(CredentialFault::Invalid("store", _)))), "{by_hand:?}");
        assert!(set_by_hand(&world, &account, "right").await.is_ok());
        // The store of credentials that cannot be decrypted is unknown.
        world.ports.vault = Arc::new(Vault::new(&MasterKey::from_bytes([8; 32])));
        assert!(set_by_hand(&world, &account, "another").await.is_ok());
    })
    .await;
}

/// Processes cache the credentials of an account: a sale during that time would be charged at one store and
/// looked up at the other.
#[actix_web::test]
async fn an_account_that_can_sell_keeps_its_provider_store() {
    on_each_store(async |mut world| {
        let mut azul = place_by_place();
        let at_noon = world.clock.now();
        azul.expect_probe().returning(move |_| {
            let verdict = ProbeVerdict::Accepted;
            let probe = Probe { credential_version: 1, verdict, certificate_until: None, skew: None, at: at_noon };
            Some(ProbeReport { probe, credentials: Credentials { has_3ds: false } })
        });
        world.ports.providers.insert(Provider::Azul, world.gate.clone());
        world.ports.accounts.insert(Provider::Azul, Arc::new(azul));
        let admin = world.admin().await;
        let made = world.send(&Request::post(PATH, &admin, r#"{"provider":"azul"}"#)).await;
        let account = made.field("/id");
        let put = |name: &str, key: &str| Request::put(at(&account), &admin, store(name)).keyed(key);
        assert_eq!(world.send(&put("right", "k-1")).await.status, 200);

        probe_accounts(&world.ports, 100).await.unwrap();

        let elsewhere = (400, "parameter_invalid", Some("credentials.store"));
        check(&world, vec![(put("another", "k-2"), elsewhere)]).await;
        let by_hand = set_by_hand(&world, &account, "another").await;
        assert!(matches!(by_hand, Err(SetupError::Credentials(CredentialFault::Invalid("store", _)))), "{by_hand:?}");
        assert_eq!(world.send(&put("right", "k-3")).await.status, 200);
    })
    .await;
}

async fn set_by_hand(world: &World, account: &str, name: &str) -> Result<domain::account::Account, SetupError> {
    let id = MerchantAccountId::parse(account).unwrap();
    let object = format!(r#"{{"store":"{name}"}}"#);
    set_credentials(&world.ports, &world.one.tenant, &id, object.as_bytes()).await
}
