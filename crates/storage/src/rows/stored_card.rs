use diesel::prelude::*;
use domain::AttemptId;
use ports::{SecretLocation, SecretOf, StoredCard, StoredSecret};

use super::{Inconsistent, StoredRow, restore_tenant};
use crate::{column::Column, schema::stored_cards};

/// One row of `stored_cards`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = stored_cards)]
pub(crate) struct StoredCardRow {
    merchant: String,
    mode: String,
    attempt: String,
    payment: String,
    account: String,
    provider: String,
    sealed: Vec<u8>,
    due_at: i64,
}

impl StoredCardRow {
    /// `None` if the secret is no card's.
    pub(crate) fn new(card: StoredCard, due_at: i64) -> Option<Self> {
        let StoredSecret { location: SecretLocation { tenant, of }, sealed } = card.secret;
        let SecretOf::Card(attempt) = of else { return None };
        Some(Self {
            merchant: tenant.merchant.store(),
            mode: tenant.mode.store(),
            attempt: attempt.store(),
            payment: card.payment.store(),
            account: card.account.store(),
            provider: card.provider.store(),
            sealed,
            due_at,
        })
    }
}

impl StoredRow for StoredCardRow {
    type Value = StoredCard;

    fn restore(self) -> Result<StoredCard, Inconsistent> {
        let broken = Inconsistent::of("stored_cards", &self.attempt);
        let tenant = restore_tenant("stored_cards", self.merchant, self.mode)?;
        let of = SecretOf::Card(AttemptId::load(self.attempt, "attempt").map_err(&broken)?);
        Ok(StoredCard {
            secret: StoredSecret { location: SecretLocation { tenant, of }, sealed: self.sealed },
            payment: Column::load(self.payment, "payment").map_err(&broken)?,
            account: Column::load(self.account, "account").map_err(&broken)?,
            provider: Column::load(self.provider, "provider").map_err(&broken)?,
        })
    }
}
