//! Sealed secrets: use and re-encryption.

use domain::{MerchantAccountId, account::Lifecycle};
use ports::{NewSecret, RegistryError, SecretKind, SecretLocation, SecretOf, SetupChange, StoredSecret};

use super::{Stores, done};
use crate::sample::{self, account_id, noon, tenant};

/// The newest credentials are used, and are found by the account's name.
pub async fn the_newest_credentials_count(stores: &Stores) {
    assert_eq!(of(stores, &account_id(1)).await, None);
    set(stores, 1, 1, b"first").await;
    set(stores, 2, 2, b"second").await;

    assert_eq!(of(stores, &account_id(1)).await, Some(secret(3, b"second")));
    assert_eq!(of(stores, &account_id(2)).await, None);
}

/// An operator's credentials follow the merchant's; a concurrent change is refused.
pub async fn an_operator_counts_credentials_on(stores: &Stores) {
    let pending = domain::account::Account { lifecycle: Lifecycle::Pending, id: account_id(2), ..sample::account() };
    stores.registry.add_account(pending.clone()).await.expect("a new account");
    let without = domain::account::Account { three_ds_programs: Vec::new(), ..pending };
    let next = without.with_new_credentials();

    stores.registry.set_credentials(&next, b"sealed".to_vec(), None, noon()).await.expect("it is the next count");
    let again = stores.registry.set_credentials(&next, b"other".to_vec(), None, noon()).await;

    assert!(matches!(again, Err(RegistryError::Moved)), "{again:?}");
    let setup = stores.merchants.setup(&tenant()).await.expect("the store answers");
    assert!(setup.accounts.contains(&next), "{:?}", setup.accounts);
    let found = of(stores, &account_id(2)).await.expect("they were set");
    assert_eq!((found.sealed.as_slice(), found.location.of), (&b"sealed"[..], SecretOf::Account(account_id(2), 2)));
}

/// Every sealed secret is listed once, kind by kind and in portions.
pub async fn every_secret_is_met_once(stores: &Stores) {
    for n in 1..=5 {
        set(stores, n, n, format!("{n}").as_bytes()).await;
        stores.registry.add_certificate(sample::stored_certificate(n)).await.expect("a new certificate");
        let endpoint = Box::new(sample::endpoint(n));
        let change = SetupChange::Endpoint { endpoint, sealed_secret: b"secret".to_vec(), limit: 9 };
        done(stores.setup.commit(sample::setup(100 + n, change)).await, "there is room");
        replace_secret_of(stores, n, 200 + n).await;
        stores.stored_cards.store(sample::stored_card(n), noon()).await.expect("a new card");
    }

    for kind in SecretKind::ALL {
        let mut met: Vec<SecretLocation> = Vec::new();
        loop {
            let after = met.last().cloned();
            let page = stores.secrets.secrets(kind, after, 2).await.expect("the store answers");
            met.extend(page.iter().map(|it| it.location.clone()));
            if page.len() < 2 {
                break;
            }
        }
        assert_eq!(met.len(), 5, "{met:?}");
        for (n, location) in met.iter().enumerate() {
            assert!(!met[..n].contains(location), "{location:?}");
        }
    }
}

/// A secret is replaced only if unchanged.
pub async fn a_secret_is_replaced_as_it_was_read(stores: &Stores) {
    set(stores, 1, 1, b"old").await;
    stores.registry.add_certificate(sample::stored_certificate(1)).await.expect("a new certificate");
    let endpoint = Box::new(sample::endpoint(1));
    let change = SetupChange::Endpoint { endpoint, sealed_secret: b"secret".to_vec(), limit: 9 };
    done(stores.setup.commit(sample::setup(2, change)).await, "there is room");
    replace_secret_of(stores, 1, 3).await;
    stores.stored_cards.store(sample::stored_card(1), noon()).await.expect("a new card");

    for kind in SecretKind::ALL {
        let read = || async { stores.secrets.secrets(kind, None, 9).await.expect("the store answers").remove(0) };
        let before = read().await;

        assert!(stores.secrets.replace(&before, b"new".to_vec()).await.expect("the store answers"), "{kind:?}");
        assert!(!stores.secrets.replace(&before, b"newer".to_vec()).await.expect("the store answers"), "{kind:?}");

        assert_eq!(read().await, StoredSecret { sealed: b"new".to_vec(), ..before });
    }
}

/// Of two concurrent starts the first stores the key check; replacing the check requires the stored value.
pub async fn the_key_check_is_stored_once(stores: &Stores) {
    let keep = async |before: Option<&'static [u8]>, sealed: &[u8]| {
        stores.secrets.store_key_check(before, sealed.to_vec()).await.expect("the store answers");
        stores.secrets.key_check().await.expect("the store answers")
    };
    assert_eq!(stores.secrets.key_check().await.expect("the store answers"), None);

    assert_eq!(keep(None, b"first").await.as_deref(), Some(&b"first"[..]));
    assert_eq!(keep(None, b"second").await.as_deref(), Some(&b"first"[..]));
    assert_eq!(keep(Some(b"other"), b"third").await.as_deref(), Some(&b"first"[..]));
    assert_eq!(keep(Some(b"first"), b"third").await.as_deref(), Some(&b"third"[..]));
}

/// Replaces a secret with an overlap.
async fn replace_secret_of(stores: &Stores, n: u32, key: u32) {
    let to = Box::new(domain::webhook::WebhookEndpoint { version: 1, ..sample::endpoint(n) });
    let secret = NewSecret { sealed: b"next".to_vec(), previous_until: Some(noon()) };
    let change = SetupChange::EndpointChanged { to, based_on: 0, secret: Some(secret) };
    done(stores.setup.commit(sample::setup(key, change)).await, "it is the version that was read");
}

async fn of(stores: &Stores, account: &MerchantAccountId) -> Option<StoredSecret> {
    stores.secrets.credentials(account).await.expect("the store answers")
}

async fn set(stores: &Stores, n: u32, based_on: u32, sealed: &[u8]) {
    done(
        stores.setup.commit(sample::setup(n, sample::new_credentials(based_on, sealed))).await,
        "it is the count that was read",
    );
}

fn secret(version: u32, sealed: &[u8]) -> StoredSecret {
    let location = SecretLocation { tenant: tenant(), of: SecretOf::Account(account_id(1), version) };
    StoredSecret { location, sealed: sealed.to_vec() }
}
