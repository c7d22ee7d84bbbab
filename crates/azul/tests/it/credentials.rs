//! Credentials as merchants send them and as the store returns them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use azul::{AccountUnavailable, Azul, AzulAccount, AzulAccounts, AzulConnection, Hosts, StoredAccounts};
use chrono::TimeDelta;
use domain::MerchantAccountId;
use ports::{
    AccountProvider, CardProvider, CredentialFault, CredentialVault, Credentials, SecretKind, SecretLocation, SecretOf,
    SecretStore, StoredSecret, Unavailable,
};
use serde_json::{Value, json};
use testkit::{
    memory::TestClock,
    sample::{account_id, tenant},
};
use vault::{MasterKey, Vault};

use crate::{
    bench::{authority, signed},
    counter::{OneAccount, account},
};

fn credentials() -> Value {
    let (certificate, key) = signed("shop.local", 7, &authority());
    json!({
        "merchantId": "39038540035", "auth1": "first-canary", "auth2": "second-canary",
        "certificate": certificate, "privateKey": key,
    })
}

fn azul() -> Azul {
    let missing = OneAccount(Err(AccountUnavailable::Missing));
    Azul::new(AzulConnection::to(Hosts::test()), Arc::new(missing), Arc::new(TestClock::default()))
}

#[track_caller]
fn assert_fault(credentials: &Value, fault: CredentialFault) {
    assert_eq!(azul().check(credentials.to_string().as_bytes()), Err(fault), "{credentials}");
}

#[test]
fn credentials_need_a_number_two_secrets_a_certificate_and_its_key() {
    let without_3ds = Ok(Credentials { has_3ds: false });
    assert_eq!(azul().check(credentials().to_string().as_bytes()), without_3ds);
    let mut with = credentials();
    for (word, has_3ds) in [("yes", true), ("no", false)] {
        with["threeDSecure"] = json!(word);
        assert_eq!(azul().check(with.to_string().as_bytes()), Ok(Credentials { has_3ds }));
    }

    for field in ["merchantId", "auth1", "auth2", "certificate", "privateKey"] {
        let mut without = credentials();
        without.as_object_mut().unwrap().remove(field);
        assert_eq!(azul().check(without.to_string().as_bytes()), Err(CredentialFault::Missing(field)));
    }
}

#[test]
fn an_invalid_field_is_named() {
    let mut whole = credentials();
    let other_key = credentials()["privateKey"].clone();
    for (field, value) in [
        ("merchantId", json!("39038540035x")),
        ("merchantId", json!("1234567890123456")),
        ("channel", json!("E C")),
        ("auth1", json!("")),
        ("auth1", json!("two\nlines")),
        ("auth2", json!("contraseña")),
        ("certificate", json!("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")),
        ("certificate", whole["privateKey"].clone()),
        ("privateKey", whole["certificate"].clone()),
        ("privateKey", json!("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")),
        ("privateKey", other_key),
        ("customerServicePhone", json!("8".repeat(33))),
        ("refunds", json!("twice")),
        ("shopUrl", json!("https://shop.example/\"")),
    ] {
        let before = whole[field].clone();
        whole[field] = value;
        let fault = azul().check(whole.to_string().as_bytes()).unwrap_err();
        assert!(matches!(fault, CredentialFault::Invalid(it, _) if it == field), "{field}: {fault}");
        whole[field] = before;
        if whole[field].is_null() {
            whole.as_object_mut().unwrap().remove(field);
        }
    }
    whole["colour"] = json!("blue");
    assert_fault(&whole, CredentialFault::Unknown);
    assert_fault(&json!([1]), CredentialFault::Unknown);
    assert_fault(&json!({ "merchantId": 7 }), CredentialFault::Unknown);
}

#[tokio::test]
async fn an_account_may_take_one_refund_of_a_charge() {
    let terms = async |takes_one_refund| {
        let account = AzulAccount { takes_one_refund, ..account(b"") };
        let accounts = OneAccount(Ok(Arc::new(account)));
        let azul = Azul::new(AzulConnection::to(Hosts::test()), Arc::new(accounts), Arc::new(TestClock::default()));
        azul.refund_terms(&account_id(1)).await
    };
    let mut once = credentials();
    once["refunds"] = json!("once");

    assert!(azul().check(once.to_string().as_bytes()).is_ok());
    assert!(terms(false).await.allows_multiple);
    let once = terms(true).await;
    assert_eq!((once.allows_multiple, once.refund_days, once.void_window), (false, 180, TimeDelta::minutes(19)));
    assert!(azul().refund_terms(&account_id(1)).await.allows_multiple, "without credentials no call is made");
}

/// An account is one store: transactions of one store are unknown in another.
#[test]
fn credentials_of_another_store_are_refused() {
    let (before, mut after) = (credentials(), credentials());
    let stays = |before: &Value, after: &Value| {
        azul().check_same_provider_store(before.to_string().as_bytes(), after.to_string().as_bytes())
    };
    after["auth1"] = json!("other-canary");
    after["channel"] = json!("XX");
    assert_eq!(stays(&before, &after), Ok(()), "the same store, with all else replaced");

    after["merchantId"] = json!("39038540036");
    let Err(CredentialFault::Invalid("merchantId", rule)) = stays(&before, &after) else { panic!("another store") };
    assert!(rule.contains("an account of its own"), "{rule}");
    // Credentials that no longer pass the rules still show their store.
    assert!(stays(&json!({ "merchantId": "39038540035", "colour": "blue" }), &after).is_err());
    assert_eq!(stays(&json!({ "merchantId": "no number" }), &after), Ok(()));
    assert_eq!(stays(&json!([1]), &after), Ok(()));
}

/// Made by `openssl x509 -req` with default options. TLS clients cannot use version 1.
const FIRST_VERSION: &str = "-----BEGIN CERTIFICATE-----
MIIBJjCBzQIUaW8Cd4H13QoFk3FkHOXehhh3/sswCgYIKoZIzj0EAwIwFTETMBEG
A1UEAwwKc2hvcC5sb2NhbDAgFw0yNjExMjgyMDU2MzVaGA8yMTI2MTEwNDIwNTYz
NVowFTETMBEGA1UEAwwKc2hvcC5sb2NhbDBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABIb8wBN6eiCYSAx4HUEOgLlkv7IRnEGtXL8NVO6G1Oq+O3HKqiqs51Wz2UfW
/Hn4lIxlPRa8yI+dgAEy1AyzznEwCgYIKoZIzj0EAwIDSAAwRQIgYlJpettUb6Ga
AsBJQBMMgkKRzAXxUCuf318UjgJykmECIQCWX6wezvxagDUUuhx9AQ+pxyZCGUur
2sZFNQ3sZMpU+Q==
-----END CERTIFICATE-----
";

#[test]
fn a_certificate_of_the_first_version_is_refused_and_the_rule_is_named() {
    let mut whole = credentials();
    whole["certificate"] = json!(FIRST_VERSION);

    let fault = azul().check(whole.to_string().as_bytes()).unwrap_err();

    let CredentialFault::Invalid("certificate", rule) = fault else { panic!("{fault}") };
    assert!(rule.contains("X.509 certificates of version 3"), "{rule}");
}

/// One secret, and the number of reads.
#[derive(Default)]
struct OneSecret {
    stored: Mutex<Option<StoredSecret>>,
    reads: AtomicU32,
}

impl OneSecret {
    fn put(&self, vault: &Vault, version: u32, credentials: &Value) {
        let location = SecretLocation { tenant: tenant(), of: SecretOf::Account(account_id(1), version) };
        let sealed = vault.seal(&location.context(), credentials.to_string().as_bytes()).unwrap();
        *self.stored.lock().unwrap() = Some(StoredSecret { location, sealed });
    }
}

#[async_trait]
impl SecretStore for OneSecret {
    async fn credentials(&self, _: &MerchantAccountId) -> Result<Option<StoredSecret>, Unavailable> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        Ok(self.stored.lock().unwrap().clone())
    }

    async fn secrets(
        &self,
        _: SecretKind,
        _: Option<SecretLocation>,
        _: u16,
    ) -> Result<Vec<StoredSecret>, Unavailable> {
        Ok(Vec::new())
    }

    async fn replace(&self, _: &StoredSecret, _: Vec<u8>) -> Result<bool, Unavailable> {
        Ok(false)
    }

    async fn key_check(&self) -> Result<Option<Vec<u8>>, Unavailable> {
        Ok(None)
    }

    async fn store_key_check<'a>(&self, _: Option<&'a [u8]>, _: Vec<u8>) -> Result<(), Unavailable> {
        Ok(())
    }
}

struct Shelf {
    secrets: Arc<OneSecret>,
    vault: Arc<Vault>,
    clock: Arc<TestClock>,
    accounts: StoredAccounts,
}

fn shelf() -> Shelf {
    let (secrets, clock) = (Arc::new(OneSecret::default()), Arc::new(TestClock::default()));
    let vault = Arc::new(Vault::new(&MasterKey::random()));
    let accounts = StoredAccounts::new(secrets.clone(), vault.clone(), clock.clone());
    Shelf { secrets, vault, clock, accounts }
}

#[tokio::test]
async fn stored_credentials_are_decrypted_and_cached_for_seconds() {
    let Shelf { secrets, vault, clock, accounts } = shelf();
    assert_eq!(accounts.account(&account_id(1)).await.err(), Some(AccountUnavailable::Missing));
    secrets.put(&vault, 1, &credentials());

    let first = accounts.account(&account_id(1)).await.unwrap();
    let mut other = credentials();
    other["channel"] = json!("XX");
    secrets.put(&vault, 2, &other);
    let remembered = accounts.account(&account_id(1)).await.unwrap();
    clock.advance(TimeDelta::seconds(2));
    let second = accounts.account(&account_id(1)).await.unwrap();

    assert_eq!((first.version, first.store.as_str(), first.channel.as_str()), (1, "39038540035", "EC"));
    assert_eq!((remembered.version, second.version), (1, 2));
    assert_eq!(second.channel, "XX");
    assert_eq!(secrets.reads.load(Ordering::Relaxed), 3);
    let printed = format!("{first:?}");
    assert!(!printed.contains("canary") && !printed.contains("PRIVATE"), "{printed}");
}

#[tokio::test]
async fn moved_or_foreign_credentials_are_not_decrypted() {
    let Shelf { secrets, vault, accounts, .. } = shelf();
    secrets.put(&vault, 1, &credentials());
    let of_another_version = SecretLocation { tenant: tenant(), of: SecretOf::Account(account_id(1), 2) };
    secrets.stored.lock().unwrap().as_mut().unwrap().location = of_another_version;
    let moved = accounts.account(&account_id(1)).await.err();
    secrets.put(&Vault::new(&MasterKey::random()), 1, &credentials());
    let foreign = accounts.account(&account_id(1)).await.err();
    secrets.put(&vault, 1, &json!({ "merchantId": "1" }));
    let outdated = accounts.account(&account_id(1)).await.err();

    assert_eq!([moved, foreign], [Some(AccountUnavailable::Sealed); 2]);
    assert_eq!(outdated, Some(AccountUnavailable::Missing));
}
