use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, sql_query, sql_types::BigInt};
use ports::{IdempotencyStore, KeyLease, KeyRecord, KeyScope, Unavailable};

use super::Store;
use crate::{
    failure::unavailable,
    rows::{KeyRow, scope_column},
    schema::idempotency_keys,
    scope::Scope,
    time::millis,
};

/// Forgets the oldest answers; that they were given stays known. Diesel has no words for a key of
/// several columns in a list, and both databases read these.
const FORGET: &str = "UPDATE idempotency_keys \
     SET state = 'expired', epoch = epoch + 1, status = NULL, etag = NULL, request = NULL, sealed_body = NULL \
     WHERE (merchant, mode, payment, digest) IN (SELECT merchant, mode, payment, digest FROM idempotency_keys \
     WHERE state = 'completed' AND first_used_at < $1 ORDER BY first_used_at LIMIT $2)";

/// Removes the oldest keys.
const REMOVE: &str = "DELETE FROM idempotency_keys \
     WHERE (merchant, mode, payment, digest) IN (SELECT merchant, mode, payment, digest FROM idempotency_keys \
     WHERE first_used_at < $1 ORDER BY first_used_at LIMIT $2)";

#[async_trait]
impl IdempotencyStore for Store {
    async fn find(&self, scope: &KeyScope, digest: &[u8; 32]) -> Result<Option<KeyRecord>, Unavailable> {
        let merchant = scope.tenant.merchant.to_string();
        let query = idempotency_keys::table
            .find((merchant, scope.tenant.mode.as_str(), scope_column(scope).to_owned(), digest.to_vec()))
            .select(KeyRow::as_select());
        let row: Option<KeyRow> = self.load(Scope::of(&scope.tenant), query).await?.pop();
        row.map(KeyRecord::try_from).transpose().map_err(unavailable)
    }

    async fn renew(&self, hold: &KeyLease, lease_until: DateTime<Utc>) -> Result<bool, Unavailable> {
        let KeyLease { scope, digest, epoch } = hold;
        let merchant = scope.tenant.merchant.to_string();
        let key = (merchant, scope.tenant.mode.as_str(), scope_column(scope).to_owned(), digest.to_vec());
        let renewal = diesel::update(idempotency_keys::table.find(key))
            .filter(idempotency_keys::epoch.eq(i64::from(*epoch)))
            .filter(idempotency_keys::state.eq("in_progress"))
            .set(idempotency_keys::lease_until.eq(millis(lease_until)));
        Ok(self.execute(Scope::of(&scope.tenant), renewal).await? > 0)
    }

    async fn sweep(
        &self,
        answers_before: DateTime<Utc>,
        keys_before: DateTime<Utc>,
        limit: u16,
    ) -> Result<u64, Unavailable> {
        let oldest = |statement, before| {
            sql_query(statement).bind::<BigInt, _>(millis(before)).bind::<BigInt, _>(i64::from(limit))
        };
        let forgotten = self.execute(Scope::sweep(), oldest(FORGET, answers_before)).await?;
        let removed = self.execute(Scope::sweep(), oldest(REMOVE, keys_before)).await?;
        Ok(forgotten.saturating_add(removed))
    }
}
