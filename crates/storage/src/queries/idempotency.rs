use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use ports::{IdempotencyStore, KeyLease, KeyRecord, KeyScope, Unavailable};

use super::Store;
use crate::{
    failure::unavailable,
    rows::{KeyRow, scope_column},
    schema::idempotency_keys,
    scope::Scope,
    sql::sql_file,
    time::millis,
};

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
        let limit = i64::from(limit);
        let expire = sql_file!("expire_keys", before: millis(answers_before), limit: limit);
        let expired = self.execute(Scope::sweep(), expire).await?;
        let delete = sql_file!("delete_keys", before: millis(keys_before), limit: limit);
        let deleted = self.execute(Scope::sweep(), delete).await?;
        Ok(expired.saturating_add(deleted))
    }
}
