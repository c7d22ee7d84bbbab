use async_trait::async_trait;
use diesel::{dsl::sql, expression::SqlLiteral, prelude::*, sql_types::BigInt};
use domain::MerchantAccountId;
use ports::{SecretKind, SecretLocation, SecretOf, SecretStore, StoredSecret, Unavailable};

use super::Store;
use crate::{
    failure::unavailable,
    rows::{SecretRow, restore_secret},
    schema::{account_credentials, certificates, key_checks, stored_cards, webhook_endpoints},
    scope::Scope,
};

/// The secrets of one table after a position, in the order of the key.
macro_rules! page {
    ($table:ident, $sealed:expr, of $id:ident $version:expr, after $after:ident) => {{
        let (merchant, mode, id, version) = $after;
        let later_version = $table::$id.eq(id.clone()).and($version.gt(version));
        let later = $table::mode.eq(mode).and($table::$id.gt(id).or(later_version));
        let later = $table::merchant.eq(merchant.clone()).and($table::mode.gt(mode).or(later));
        $table::table
            .filter($table::merchant.gt(merchant).or(later))
            .order(($table::merchant, $table::mode, $table::$id, $version))
            .select(($table::merchant, $table::mode, $table::$id, $version, $sealed))
    }};
}

#[async_trait]
impl SecretStore for Store {
    async fn credentials(&self, account: &MerchantAccountId) -> Result<Option<StoredSecret>, Unavailable> {
        let query = account_credentials::table
            .filter(account_credentials::account.eq(account.to_string()))
            .order(account_credentials::version.desc())
            .limit(1)
            .select((
                account_credentials::merchant,
                account_credentials::mode,
                account_credentials::account,
                account_credentials::version,
                account_credentials::sealed,
            ));
        let row: Option<SecretRow> = self.load(Scope::account(account), query).await?.pop();
        row.map(|it| restore_secret(SecretKind::Credentials, it)).transpose().map_err(unavailable)
    }

    async fn secrets(
        &self,
        kind: SecretKind,
        after: Option<SecretLocation>,
        limit: u16,
    ) -> Result<Vec<StoredSecret>, Unavailable> {
        let (limit, after) = (i64::from(limit), position(after));
        let scope = Scope::key_rotation();
        let rows: Vec<SecretRow> = match kind {
            SecretKind::Credentials => {
                let sealed = account_credentials::sealed;
                let page = page!(account_credentials, sealed, of account account_credentials::version, after after);
                self.load(scope, page.limit(limit)).await?
            }
            SecretKind::SigningKey => {
                let page = page!(certificates, certificates::sealed_key, of id no_version(), after after);
                self.load(scope, page.limit(limit)).await?
            }
            SecretKind::WebhookSecret => {
                let sealed = webhook_endpoints::sealed_secret;
                let page = page!(webhook_endpoints, sealed, of id no_version(), after after);
                self.load(scope, page.limit(limit)).await?
            }
            SecretKind::PreviousWebhookSecret => {
                let sealed = webhook_endpoints::previous_secret.assume_not_null();
                let page = page!(webhook_endpoints, sealed, of id no_version(), after after);
                let page = page.filter(webhook_endpoints::previous_secret.is_not_null());
                self.load(scope, page.limit(limit)).await?
            }
            SecretKind::StoredCard => {
                let page = page!(stored_cards, stored_cards::sealed, of attempt no_version(), after after);
                self.load(scope, page.limit(limit)).await?
            }
        };
        rows.into_iter().map(|it| restore_secret(kind, it)).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn replace(&self, secret: &StoredSecret, sealed: Vec<u8>) -> Result<bool, Unavailable> {
        let (SecretLocation { tenant, of }, before) = (&secret.place, secret.sealed.clone());
        let (merchant, mode) = (tenant.merchant.to_string(), tenant.mode.as_str());
        let scope = Scope::of(tenant);
        let replaced = match of {
            SecretOf::Account(id, version) => {
                let row = account_credentials::table.find((merchant, mode, id.to_string(), i64::from(*version)));
                let only = row.filter(account_credentials::sealed.eq(before));
                self.execute(scope, diesel::update(only).set(account_credentials::sealed.eq(sealed))).await?
            }
            SecretOf::Certificate(id) => {
                let row = certificates::table.find((merchant, mode, id.to_string()));
                let only = row.filter(certificates::sealed_key.eq(before));
                self.execute(scope, diesel::update(only).set(certificates::sealed_key.eq(sealed))).await?
            }
            SecretOf::EndpointBefore(id) => {
                let row = webhook_endpoints::table.find((merchant, mode, id.to_string()));
                let only = row.filter(webhook_endpoints::previous_secret.eq(before));
                self.execute(scope, diesel::update(only).set(webhook_endpoints::previous_secret.eq(sealed))).await?
            }
            SecretOf::Endpoint(id) => {
                let row = webhook_endpoints::table.find((merchant, mode, id.to_string()));
                let only = row.filter(webhook_endpoints::sealed_secret.eq(before));
                self.execute(scope, diesel::update(only).set(webhook_endpoints::sealed_secret.eq(sealed))).await?
            }
            SecretOf::Card(attempt) => {
                let row = stored_cards::table.find((merchant, mode, attempt.to_string()));
                let only = row.filter(stored_cards::sealed.eq(before));
                self.execute(scope, diesel::update(only).set(stored_cards::sealed.eq(sealed))).await?
            }
        };
        Ok(replaced == 1)
    }

    async fn key_check(&self) -> Result<Option<Vec<u8>>, Unavailable> {
        let query = key_checks::table.find(KEY_CHECK).select(key_checks::sealed);
        Ok(self.load(Scope::none(), query).await?.pop())
    }

    async fn store_key_check<'a>(&self, before: Option<&'a [u8]>, sealed: Vec<u8>) -> Result<(), Unavailable> {
        let stored = match before {
            Some(before) => {
                let only = key_checks::table.find(KEY_CHECK).filter(key_checks::sealed.eq(before.to_vec()));
                self.execute(Scope::none(), diesel::update(only).set(key_checks::sealed.eq(sealed))).await
            }
            None => {
                let row = (key_checks::id.eq(KEY_CHECK), key_checks::sealed.eq(sealed));
                let insert = diesel::insert_into(key_checks::table).values(row).on_conflict_do_nothing();
                self.execute(Scope::none(), insert).await
            }
        };
        stored.map(drop)
    }
}

/// Identifier of the only row.
const KEY_CHECK: i64 = 1;

/// Version of a secret without versions.
fn no_version() -> SqlLiteral<BigInt> {
    sql("CAST(0 AS bigint)")
}

/// Returns the columns of the key of a secret. Empty texts precede all keys.
fn position(location: Option<SecretLocation>) -> (String, &'static str, String, i64) {
    let Some(SecretLocation { tenant, of }) = location else { return (String::new(), "", String::new(), 0) };
    let (id, version) = match of {
        SecretOf::Account(id, version) => (id.to_string(), version),
        SecretOf::Certificate(id) => (id.to_string(), 0),
        SecretOf::Card(attempt) => (attempt.to_string(), 0),
        SecretOf::Endpoint(id) | SecretOf::EndpointBefore(id) => (id.to_string(), 0),
    };
    (tenant.merchant.to_string(), tenant.mode.as_str(), id, version.into())
}
