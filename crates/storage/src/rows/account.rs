use diesel::prelude::*;
use domain::account::{Account, NotifiedReadiness};
use serde::{Deserialize, Serialize};

use super::{Inconsistent, StoredRow};
use crate::{
    column::Column,
    records::{Abilities, optional},
    schema::accounts,
};

/// One row of `accounts`.
#[derive(Queryable, Selectable, Insertable, Serialize, Deserialize)]
#[diesel(table_name = accounts, treat_none_as_default_value = false)]
pub(crate) struct AccountRow {
    merchant: String,
    mode: String,
    id: String,
    provider: String,
    venue_reference: Option<String>,
    lifecycle: String,
    credential_version: i64,
    abilities: String,
    created_at: i64,
    probe: Option<String>,
    notified_readiness: String,
}

impl From<&Account> for AccountRow {
    fn from(account: &Account) -> Self {
        Self {
            merchant: account.merchant.store(),
            mode: account.mode.store(),
            id: account.id.store(),
            provider: account.provider.store(),
            venue_reference: account.venue_reference.store(),
            lifecycle: account.lifecycle.store(),
            credential_version: account.credential_version.store(),
            abilities: Abilities::text(account),
            created_at: account.created_at.store(),
            probe: account.probe.store(),
            notified_readiness: account.notified.as_ref().map_or_else(String::new, |it| it.as_str().to_owned()),
        }
    }
}

impl StoredRow for AccountRow {
    type Value = Account;

    fn restore(self) -> Result<Account, Inconsistent> {
        let broken = Inconsistent::of("accounts", &self.id);
        self.read().map_err(broken)
    }
}

impl AccountRow {
    fn read(self) -> Result<Account, &'static str> {
        let abilities = Abilities::read(&self.abilities).ok_or("abilities")?;
        let notified = Some(&*self.notified_readiness).filter(|it| !it.is_empty());
        Ok(Account {
            id: Column::load(self.id, "id")?,
            merchant: Column::load(self.merchant, "merchant")?,
            mode: Column::load(self.mode, "mode")?,
            provider: Column::load(self.provider, "provider")?,
            venue_reference: Option::load(self.venue_reference, "venue_reference")?,
            lifecycle: Column::load(self.lifecycle, "lifecycle")?,
            is_mode_enabled: true,
            credential_version: Column::load(self.credential_version, "credential_version")?,
            currencies: abilities.currencies,
            card_brands: abilities.card_brands,
            three_ds_programs: abilities.three_ds_programs,
            wallets: abilities.wallets,
            probe: Option::load(self.probe, "probe")?,
            notified: optional(notified, NotifiedReadiness::from_text).ok_or("notified_readiness")?,
            created_at: Column::load(self.created_at, "created_at")?,
        })
    }
}
