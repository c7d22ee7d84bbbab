use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_dsl::methods, upsert::excluded};
use domain::{PaymentId, credential::CheckoutToken};
use ports::{CredentialStore, KeyUse, StoredKey, Tenant, Unavailable};

use super::{Store, filters::only};
use crate::{
    column::{Column, IDLE},
    rows::{KeyUseRow, MerchantKeyRow, TokenRow},
    schema::{checkout_tokens, merchant_key_uses, merchant_keys, merchants},
    scope::Scope,
    sql::sql_file,
    time::millis,
};

#[async_trait]
impl CredentialStore for Store {
    async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<StoredKey>, Unavailable> {
        let query = merchant_keys::table
            .inner_join(merchants::table.on(merchants::id.eq(merchant_keys::merchant)))
            .filter(merchant_keys::digest.eq(digest.to_vec()))
            .select((MerchantKeyRow::as_select(), merchants::is_live_enabled));
        self.one::<(MerchantKeyRow, bool), _>(Scope::key(digest), query).await
    }

    async fn find_token(&self, digest: &[u8; 32]) -> Result<Option<CheckoutToken>, Unavailable> {
        let query = checkout_tokens::table.find(digest.to_vec()).select(TokenRow::as_select());
        self.one(Scope::token(digest), query).await
    }

    async fn live_sessions(
        &self,
        tenant: &Tenant,
        payment: &PaymentId,
        now: DateTime<Utc>,
    ) -> Result<u64, Unavailable> {
        let live = checkout_tokens::table
            .filter(only!(checkout_tokens, tenant, payment = payment.to_string()))
            .filter(checkout_tokens::session.is_not_null())
            .filter(checkout_tokens::expires_at.gt(millis(now)))
            .count();
        self.count(Scope::of(tenant), live).await
    }

    async fn end_idle_sessions(&self, tenant: &Tenant, payment: &PaymentId, count: u64) -> Result<u64, Unavailable> {
        let idle = sql_file!(
            "end_idle_sessions",
            merchant: tenant.merchant.as_str(),
            mode: tenant.mode.as_str(),
            payment: payment.as_str(),
            count: i64::try_from(count).unwrap_or(i64::MAX),
        );
        self.execute(Scope::of(tenant), idle).await
    }

    async fn note_session(&self, token: &CheckoutToken) -> Result<(), Unavailable> {
        let tenant = Tenant { merchant: token.merchant.clone(), mode: token.mode };
        let idle = checkout_tokens::table.find(token.digest.to_vec()).filter(checkout_tokens::session.eq(IDLE));
        let (session, seen_at): (Option<String>, Option<i64>) = token.session.store();
        let set = (checkout_tokens::session.eq(session), checkout_tokens::session_seen_at.eq(seen_at));
        self.execute(Scope::of(&tenant), diesel::update(idle).set(set)).await.map(drop)
    }

    async fn sweep_tokens(
        &self,
        expired_before: DateTime<Utc>,
        idle_before: DateTime<Utc>,
        limit: u16,
    ) -> Result<u64, Unavailable> {
        let old = sql_file!(
            "sweep_tokens",
            expired_before: millis(expired_before),
            idle_before: millis(idle_before),
            limit: i64::from(limit),
        );
        self.execute(Scope::SWEEP, old).await
    }

    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), Unavailable> {
        for it in uses {
            let used = merchant_key_uses::last_used_at;
            let note = diesel::insert_into(merchant_key_uses::table)
                .values(KeyUseRow::from(it))
                .on_conflict(merchant_key_uses::table.primary_key())
                .do_update()
                .set(used.eq(excluded(used)));
            let note = methods::FilterDsl::filter(note, used.lt(excluded(used)));
            self.execute(Scope::of(&it.tenant), note).await?;
        }
        Ok(())
    }
}
