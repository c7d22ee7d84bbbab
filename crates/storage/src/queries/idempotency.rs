use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use ports::{IdempotencyStore, KeyRecord, KeyScope, Unavailable};

use super::Store;
use crate::{
    failure::unavailable,
    rows::{KeyRow, scope_column},
    schema::idempotency_keys,
    time::millis,
};

#[async_trait]
impl IdempotencyStore for Store {
    async fn find(&self, scope: &KeyScope, digest: &[u8; 32]) -> Result<Option<KeyRecord>, Unavailable> {
        let merchant = scope.tenant.merchant.to_string();
        let query = idempotency_keys::table
            .find((merchant, scope.tenant.mode.as_str(), scope_column(scope).to_owned(), digest.to_vec()))
            .select(KeyRow::as_select());
        let row: Option<KeyRow> = self.load(query).await?.pop();
        row.map(KeyRecord::try_from).transpose().map_err(unavailable)
    }

    async fn sweep(
        &self,
        answers_before: DateTime<Utc>,
        keys_before: DateTime<Utc>,
        limit: u16,
    ) -> Result<u64, Unavailable> {
        let old = diesel::alias!(idempotency_keys as old);
        let used = |before| old.field(idempotency_keys::first_used_at).lt(millis(before));
        let is_answer = old.field(idempotency_keys::state).eq("completed");

        let forgettable = old.filter(is_answer).filter(used(answers_before)).limit(limit.into());
        let forget = diesel::update(idempotency_keys::table)
            .filter(idempotency_keys::state.eq("completed"))
            .filter(idempotency_keys::first_used_at.lt(millis(answers_before)))
            .filter(idempotency_keys::digest.eq_any(forgettable.select(old.field(idempotency_keys::digest))))
            .set((
                idempotency_keys::state.eq("expired"),
                idempotency_keys::epoch.eq(idempotency_keys::epoch + 1),
                idempotency_keys::status.eq(None::<i64>),
                idempotency_keys::etag.eq(None::<String>),
                idempotency_keys::request.eq(None::<String>),
                idempotency_keys::sealed_body.eq(None::<Vec<u8>>),
            ));
        let forgotten = self.execute(forget).await?;

        let removable = old.filter(used(keys_before)).limit(limit.into());
        let remove = diesel::delete(idempotency_keys::table)
            .filter(idempotency_keys::first_used_at.lt(millis(keys_before)))
            .filter(idempotency_keys::digest.eq_any(removable.select(old.field(idempotency_keys::digest))));
        let removed = self.execute(remove).await?;

        Ok(forgotten.saturating_add(removed))
    }
}
