use async_trait::async_trait;
use diesel::{dsl::sql, expression::SqlLiteral, prelude::*, sql_types::BigInt};
use domain::MerchantAccountId;
use ports::{SecretKind, SecretLocation, SecretOf, SecretStore, StoredSecret, Unavailable};

use super::{Store, filters::key};
use crate::{
    failure::unavailable,
    rows::{SecretRow, restore_secret},
    schema::{account_credentials, certificates, key_checks, stored_cards, webhook_endpoints},
    scope::Scope,
};

/// Reads secrets of one table after a position, in the order of the key.
macro_rules! page {
    ($store:ident, $table:ident by $id:ident $version:expr, $sealed:expr, $after:ident, $limit:ident) => {{
        let (merchant, mode, id, version) = $after;
        let later_version = $table::$id.eq(id.clone()).and($version.gt(version));
        let later = $table::mode.eq(mode).and($table::$id.gt(id).or(later_version));
        let later = $table::merchant.eq(merchant.clone()).and($table::mode.gt(mode).or(later));
        let page = $table::table
            .filter($table::merchant.gt(merchant).or(later))
            .filter($sealed.is_not_null())
            .order(($table::merchant, $table::mode, $table::$id, $version))
            .select(($table::merchant, $table::mode, $table::$id, $version, $sealed.assume_not_null()))
            .limit($limit);
        $store.load(Scope::KEY_ROTATION, page).await?
    }};
}

/// Replaces a secret, if unchanged. Returns the number of changed rows.
macro_rules! replace {
    ($store:ident, $table:ident, $sealed:ident, $key:expr, $secret:ident, $new:ident) => {{
        let only = $table::table.find($key).filter($table::$sealed.eq($secret.sealed.clone()));
        let replace = diesel::update(only).set($table::$sealed.eq($new));
        $store.execute(Scope::of(&$secret.location.tenant), replace).await?
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
        let rows: Vec<SecretRow> = match kind {
            SecretKind::Credentials => {
                let (version, sealed) = (account_credentials::version, account_credentials::sealed.nullable());
                page!(self, account_credentials by account version, sealed, after, limit)
            }
            SecretKind::SigningKey => {
                page!(self, certificates by id no_version(), certificates::sealed_key.nullable(), after, limit)
            }
            SecretKind::WebhookSecret => {
                let sealed = webhook_endpoints::sealed_secret.nullable();
                page!(self, webhook_endpoints by id no_version(), sealed, after, limit)
            }
            SecretKind::PreviousWebhookSecret => {
                page!(self, webhook_endpoints by id no_version(), webhook_endpoints::previous_secret, after, limit)
            }
            SecretKind::StoredCard => {
                page!(self, stored_cards by attempt no_version(), stored_cards::sealed.nullable(), after, limit)
            }
        };
        rows.into_iter().map(|it| restore_secret(kind, it)).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn replace(&self, secret: &StoredSecret, sealed: Vec<u8>) -> Result<bool, Unavailable> {
        let SecretLocation { tenant, of } = &secret.location;
        let replaced = match of {
            SecretOf::Account(id, version) => {
                let (merchant, mode, id) = key(tenant, id);
                let key = (merchant, mode, id, i64::from(*version));
                replace!(self, account_credentials, sealed, key, secret, sealed)
            }
            SecretOf::Certificate(id) => replace!(self, certificates, sealed_key, key(tenant, id), secret, sealed),
            SecretOf::EndpointBefore(id) => {
                replace!(self, webhook_endpoints, previous_secret, key(tenant, id), secret, sealed)
            }
            SecretOf::Endpoint(id) => {
                replace!(self, webhook_endpoints, sealed_secret, key(tenant, id), secret, sealed)
            }
            SecretOf::Card(attempt) => replace!(self, stored_cards, sealed, key(tenant, attempt), secret, sealed),
        };
        Ok(replaced == 1)
    }

    async fn key_check(&self) -> Result<Option<Vec<u8>>, Unavailable> {
        let query = key_checks::table.find(KEY_CHECK).select(key_checks::sealed);
        Ok(self.load(Scope::NONE, query).await?.pop())
    }

    async fn store_key_check<'a>(&self, before: Option<&'a [u8]>, sealed: Vec<u8>) -> Result<(), Unavailable> {
        let stored = match before {
            Some(before) => {
                let only = key_checks::table.find(KEY_CHECK).filter(key_checks::sealed.eq(before.to_vec()));
                self.execute(Scope::NONE, diesel::update(only).set(key_checks::sealed.eq(sealed))).await
            }
            None => {
                let row = (key_checks::id.eq(KEY_CHECK), key_checks::sealed.eq(sealed));
                let insert = diesel::insert_into(key_checks::table).values(row).on_conflict_do_nothing();
                self.execute(Scope::NONE, insert).await
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
    let ((merchant, mode, id), version) = match of {
        SecretOf::Account(id, version) => (key(&tenant, &id), version),
        SecretOf::Certificate(id) => (key(&tenant, &id), 0),
        SecretOf::Card(attempt) => (key(&tenant, &attempt), 0),
        SecretOf::Endpoint(id) | SecretOf::EndpointBefore(id) => (key(&tenant, &id), 0),
    };
    (merchant, mode, id, version.into())
}
