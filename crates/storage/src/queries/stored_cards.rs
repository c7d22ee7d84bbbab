use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::AttemptId;
use ports::{SecretLocation, SecretOf, StoredCard, StoredCards, Tenant, Unavailable};

use super::{Store, filters::key};
use crate::{failure::unavailable, rows::StoredCardRow, schema::stored_cards, scope::Scope, time::millis};

#[async_trait]
impl StoredCards for Store {
    async fn store(&self, card: StoredCard, due_at: DateTime<Utc>) -> Result<(), Unavailable> {
        let scope = Scope::of(&card.secret.location.tenant);
        let row =
            StoredCardRow::new(card, millis(due_at)).ok_or_else(|| unavailable("the secret is no stored card"))?;
        self.execute(scope, diesel::insert_into(stored_cards::table).values(row)).await.map(drop)
    }

    async fn find(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<Option<StoredCard>, Unavailable> {
        let query = stored_cards::table.find(key(tenant, attempt)).select(StoredCardRow::as_select());
        self.one(Scope::of(tenant), query).await
    }

    async fn claim(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<StoredCard>, Unavailable> {
        let query = stored_cards::table
            .filter(stored_cards::due_at.le(millis(now)))
            .order(stored_cards::due_at)
            .limit(limit.into())
            .select(StoredCardRow::as_select());
        let mut claimed = Vec::new();
        for card in self.all(Scope::WORK, query).await? {
            let SecretLocation { tenant, of: SecretOf::Card(attempt) } = &card.secret.location else { continue };
            // Only one of several concurrent claims moves the time.
            let due = stored_cards::table.find(key(tenant, attempt)).filter(stored_cards::due_at.le(millis(now)));
            let claim = diesel::update(due).set(stored_cards::due_at.eq(millis(until)));
            if self.execute(Scope::of(tenant), claim).await? == 1 {
                claimed.push(card);
            }
        }
        Ok(claimed)
    }

    async fn reschedule(&self, tenant: &Tenant, attempt: &AttemptId, until: DateTime<Utc>) -> Result<(), Unavailable> {
        let card = stored_cards::table.find(key(tenant, attempt));
        let update = diesel::update(card).set(stored_cards::due_at.eq(millis(until)));
        self.execute(Scope::of(tenant), update).await.map(drop)
    }

    async fn remove(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<(), Unavailable> {
        self.execute(Scope::of(tenant), diesel::delete(stored_cards::table.find(key(tenant, attempt)))).await.map(drop)
    }
}
