use app::{Authentication, Caller, Error, authenticate, operators::create_key};
use domain::{
    Mode,
    credential::{CheckoutToken, Role, Scope},
};
use ports::{MockCredentialStore, MockMerchantRegistry, StoredKey};
use std::sync::{Arc, Mutex};
use testkit::sample;

use crate::support::Mocks;

/// An operator's key, and ports that know the key.
async fn key_and_ports(ends: bool) -> (String, app::Ports) {
    let stored = Arc::new(Mutex::new(None));
    let mut registry = MockMerchantRegistry::new();
    let keep = stored.clone();
    registry.expect_add_key().returning(move |key| {
        *keep.lock().unwrap() = Some(key);
        Ok(())
    });
    let mut ports = Mocks::default().into_ports();
    ports.registry = Arc::new(registry);
    let text = create_key(&ports, &sample::tenant(), Role::Standard).await.unwrap();
    let mut credentials = MockCredentialStore::new();
    credentials.expect_find_key().returning(move |digest| {
        let mut key = stored.lock().unwrap().clone().filter(|it| it.digest == *digest);
        if let Some(key) = &mut key {
            key.ends_at = ends.then(sample::noon);
        }
        Ok(key.map(|key| StoredKey { key, is_live_enabled: false }))
    });
    ports.credentials = Arc::new(credentials);
    (text, ports)
}

#[tokio::test]
async fn a_key_opens_its_tenant_and_its_form_is_published() {
    let (text, ports) = key_and_ports(false).await;

    let caller = authenticate(&ports, &text).await.unwrap();

    assert_eq!(caller.tenant(), sample::tenant());
    assert!(text.starts_with("gk_test_"));
    assert_eq!(text.len(), "gk_test_".len() + 43 + 6);
}

#[tokio::test]
async fn an_ended_key_is_refused() {
    let (text, ports) = key_and_ports(true).await;

    let error = authenticate(&ports, &text).await.unwrap_err();

    assert!(matches!(error, Error::Authentication(Authentication::ApiKeyInvalid)));
}

#[tokio::test]
async fn a_typing_error_is_refused_without_a_query() {
    let (text, _) = key_and_ports(false).await;
    // These ports have no credentials: a query would panic.
    let ports = Mocks::default().into_ports();
    let swapped = format!("{}{}", &text[..text.len() - 1], if text.ends_with('0') { '1' } else { '0' });
    let long = format!("{text}0");

    for wrong in [swapped.as_str(), long.as_str(), "", "gk_test_", "sk_test_x", "gk_test_\u{e9}", &text[1..]] {
        let error = authenticate(&ports, wrong).await.unwrap_err();
        assert!(matches!(error, Error::Authentication(Authentication::ApiKeyInvalid)), "{wrong}");
    }
}

#[tokio::test]
async fn a_token_is_valid_until_it_expires() {
    let mut mocks = Mocks::default();
    let clock = mocks.clock.clone();
    mocks.credentials.expect_find_token().returning(|digest| {
        Ok(Some(CheckoutToken {
            digest: *digest,
            merchant: sample::merchant_id(1),
            mode: Mode::Test,
            payment: sample::payment_id(1),
            scope: Scope::Pay,
            expires_at: sample::noon() + chrono::TimeDelta::seconds(1),
            session: None,
        }))
    });
    let ports = mocks.into_ports();

    assert!(matches!(authenticate(&ports, "ct_test_x").await.unwrap(), Caller::Holder(_)));
    clock.advance(chrono::TimeDelta::seconds(1));
    let error = authenticate(&ports, "ct_test_x").await.unwrap_err();

    assert!(matches!(error, Error::Authentication(Authentication::CheckoutTokenExpired)));
}
