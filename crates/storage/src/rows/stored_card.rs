use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{AttemptId, MerchantAccountId, PaymentId, account::Provider};
use ports::{SecretLocation, SecretOf, StoredCard, StoredSecret, Tenant};

use super::{Inconsistent, read_tenant};
use crate::{schema::stored_cards, time::millis};

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
    pub(crate) due_at: i64,
}

impl StoredCardRow {
    /// `None` if the secret is no card's.
    pub(crate) fn new(card: StoredCard, due_at: DateTime<Utc>) -> Option<Self> {
        let StoredSecret { place: SecretLocation { tenant, of }, sealed } = card.secret;
        let SecretOf::Card(attempt) = of else { return None };
        Some(Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            attempt: attempt.as_str().to_owned(),
            payment: card.payment.as_str().to_owned(),
            account: card.account.as_str().to_owned(),
            provider: card.provider.as_str().to_owned(),
            sealed,
            due_at: millis(due_at),
        })
    }

    /// The key of the row: merchant, mode and attempt.
    pub(crate) fn key(&self) -> (String, String, String) {
        (self.merchant.clone(), self.mode.clone(), self.attempt.clone())
    }

    /// Returns the tenant.
    pub(crate) fn tenant(&self) -> Result<Tenant, Inconsistent> {
        read_tenant(&self.merchant, &self.mode)
            .ok_or_else(|| Inconsistent::of("stored_cards", &self.attempt)("merchant"))
    }
}

impl TryFrom<StoredCardRow> for StoredCard {
    type Error = Inconsistent;

    fn try_from(row: StoredCardRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("stored_cards", &row.attempt);
        let tenant = row.tenant()?;
        let of = SecretOf::Card(AttemptId::parse(&row.attempt).ok_or_else(|| broken("attempt"))?);
        Ok(Self {
            secret: StoredSecret { place: SecretLocation { tenant, of }, sealed: row.sealed },
            payment: PaymentId::parse(&row.payment).ok_or_else(|| broken("payment"))?,
            account: MerchantAccountId::parse(&row.account).ok_or_else(|| broken("account"))?,
            provider: Provider::from_code(&row.provider).ok_or_else(|| broken("provider"))?,
        })
    }
}
