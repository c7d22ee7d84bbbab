use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::AttemptId;
use ports::{StoredCard, StoredCards, Tenant, Unavailable};

use super::Store;
use crate::{failure::unavailable, rows::StoredCardRow, schema::stored_cards, scope::Scope, time::millis};

#[async_trait]
impl StoredCards for Store {
    async fn keep(&self, card: StoredCard, due_at: DateTime<Utc>) -> Result<(), Unavailable> {
        let scope = Scope::of(&card.secret.place.tenant);
        let row = StoredCardRow::new(card, due_at).ok_or_else(|| unavailable("the secret is no stored card"))?;
        self.execute(scope, diesel::insert_into(stored_cards::table).values(row)).await.map(drop)
    }

    async fn find(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<Option<StoredCard>, Unavailable> {
        let query = stored_cards::table
            .find((tenant.merchant.to_string(), tenant.mode.as_str(), attempt.to_string()))
            .select(StoredCardRow::as_select());
        let row: Option<StoredCardRow> = self.load(Scope::of(tenant), query).await?.pop();
        row.map(StoredCard::try_from).transpose().map_err(unavailable)
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
        let rows: Vec<StoredCardRow> = self.load(Scope::work(), query).await?;
        let mut claimed = Vec::new();
        for row in rows {
            let scope = Scope::of(&row.tenant().map_err(unavailable)?);
            let as_read = stored_cards::table.find(row.key()).filter(stored_cards::due_at.eq(row.due_at));
            let claim = diesel::update(as_read).set(stored_cards::due_at.eq(millis(until)));
            if self.execute(scope, claim).await? == 1 {
                claimed.push(StoredCard::try_from(row).map_err(unavailable)?);
            }
        }
        Ok(claimed)
    }

    async fn put_off(&self, tenant: &Tenant, attempt: &AttemptId, until: DateTime<Utc>) -> Result<(), Unavailable> {
        let key = (tenant.merchant.to_string(), tenant.mode.as_str(), attempt.to_string());
        let put_off = diesel::update(stored_cards::table.find(key)).set(stored_cards::due_at.eq(millis(until)));
        self.execute(Scope::of(tenant), put_off).await.map(drop)
    }

    async fn remove(&self, tenant: &Tenant, attempt: &AttemptId) -> Result<(), Unavailable> {
        let key = (tenant.merchant.to_string(), tenant.mode.as_str(), attempt.to_string());
        self.execute(Scope::of(tenant), diesel::delete(stored_cards::table.find(key))).await.map(drop)
    }
}
