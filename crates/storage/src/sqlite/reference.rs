use async_trait::async_trait;
use diesel::{dsl::max, prelude::*};
use domain::clock::TimeReference;
use ports::{ReferenceClock, Unavailable};

use super::Sqlite;
use crate::{
    schema::{events, idempotency_keys},
    scope::Scope,
    time::instant,
};

/// SQLite has no other clock than the machine. Every transaction stores an event or a key with a time.
#[async_trait]
impl ReferenceClock for Sqlite {
    async fn reference(&self) -> Result<TimeReference, Unavailable> {
        let events = events::table.select(max(events::occurred_at));
        let keys = idempotency_keys::table.select(max(idempotency_keys::first_used_at));
        let newest: (Vec<Option<i64>>, Vec<Option<i64>>) = self.load_two(Scope::NONE, events, keys).await?;
        Ok(TimeReference::NewestStored(newest.0.into_iter().chain(newest.1).flatten().max().and_then(instant)))
    }
}
