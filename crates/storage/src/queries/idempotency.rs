use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use ports::{IdempotencyStore, KeyLease, KeyRecord, KeyScope, Unavailable};

use super::Store;
use crate::{column::Column, rows::KeyRow, schema::idempotency_keys, scope::Scope, sql::sql_file, time::millis};

#[async_trait]
impl IdempotencyStore for Store {
    async fn find(&self, scope: &KeyScope, digest: &[u8; 32]) -> Result<Option<KeyRecord>, Unavailable> {
        let query = idempotency_keys::table.find(key(scope, digest)).select(KeyRow::as_select());
        self.one(Scope::of(&scope.tenant), query).await
    }

    async fn renew(&self, lease: &KeyLease, lease_until: DateTime<Utc>) -> Result<bool, Unavailable> {
        let KeyLease { scope, digest, epoch } = lease;
        let renewal = diesel::update(idempotency_keys::table.find(key(scope, digest)))
            .filter(idempotency_keys::epoch.eq(i64::from(*epoch)))
            .filter(idempotency_keys::state.eq("in_progress"))
            .set(idempotency_keys::lease_until.eq(millis(lease_until)));
        Ok(self.execute(Scope::of(&scope.tenant), renewal).await? > 0)
    }

    async fn sweep(
        &self,
        responses_before: DateTime<Utc>,
        keys_before: DateTime<Utc>,
        limit: u16,
    ) -> Result<u64, Unavailable> {
        let limit = i64::from(limit);
        let expire = sql_file!("expire_keys", before: millis(responses_before), limit: limit);
        let expired = self.execute(Scope::SWEEP, expire).await?;
        let delete = sql_file!("delete_keys", before: millis(keys_before), limit: limit);
        let deleted = self.execute(Scope::SWEEP, delete).await?;
        Ok(expired.saturating_add(deleted))
    }
}

fn key(KeyScope { tenant, payment }: &KeyScope, digest: &[u8; 32]) -> (String, &'static str, String, Vec<u8>) {
    (tenant.merchant.to_string(), tenant.mode.as_str(), payment.store(), digest.to_vec())
}
