use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_dsl::methods, sql_query, sql_types::BigInt, upsert::excluded};
use domain::credential::{CheckoutToken, MerchantKey};
use ports::{CredentialStore, KeyUse, KnownKey, Unavailable};

use super::Store;
use crate::{
    failure::unavailable,
    rows::{MerchantKeyRow, TokenRow},
    schema::{checkout_tokens, merchant_key_uses, merchant_keys, merchants},
    scope::Scope,
    time::millis,
};

/// Removes the oldest tokens. Both databases read this.
const OLD_TOKENS: &str = "DELETE FROM checkout_tokens WHERE digest IN \
     (SELECT digest FROM checkout_tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)";

#[async_trait]
impl CredentialStore for Store {
    async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<KnownKey>, Unavailable> {
        let query = merchant_keys::table
            .inner_join(merchants::table.on(merchants::id.eq(merchant_keys::merchant)))
            .filter(merchant_keys::digest.eq(digest.to_vec()))
            .select((MerchantKeyRow::as_select(), merchants::is_live_enabled));
        let row: Option<(MerchantKeyRow, bool)> = self.load(Scope::key(digest), query).await?.pop();
        let known = |(row, is_live_enabled)| Ok(KnownKey { key: MerchantKey::try_from(row)?, is_live_enabled });
        row.map(known).transpose().map_err(|error: crate::rows::Inconsistent| unavailable(error))
    }

    async fn find_token(&self, digest: &[u8; 32]) -> Result<Option<CheckoutToken>, Unavailable> {
        let query = checkout_tokens::table.find(digest.to_vec()).select(TokenRow::as_select());
        let row: Option<TokenRow> = self.load(Scope::token(digest), query).await?.pop();
        row.map(CheckoutToken::try_from).transpose().map_err(unavailable)
    }

    async fn sweep_tokens(&self, expired_before: DateTime<Utc>, limit: u16) -> Result<u64, Unavailable> {
        let old = sql_query(OLD_TOKENS).bind::<BigInt, _>(millis(expired_before));
        self.execute(Scope::sweep(), old.bind::<BigInt, _>(i64::from(limit))).await
    }

    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), Unavailable> {
        for it in uses {
            let used = merchant_key_uses::last_used_at;
            let row = (
                merchant_key_uses::merchant.eq(it.tenant.merchant.to_string()),
                merchant_key_uses::mode.eq(it.tenant.mode.as_str()),
                merchant_key_uses::digest.eq(it.digest.to_vec()),
                used.eq(millis(it.at)),
            );
            let note = diesel::insert_into(merchant_key_uses::table)
                .values(row)
                .on_conflict(merchant_key_uses::table.primary_key())
                .do_update()
                .set(used.eq(excluded(used)));
            let note = methods::FilterDsl::filter(note, used.lt(excluded(used)));
            self.execute(Scope::of(&it.tenant), note).await?;
        }
        Ok(())
    }
}
