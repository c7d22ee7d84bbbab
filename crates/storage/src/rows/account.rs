use diesel::prelude::*;
use domain::{
    MerchantAccountId,
    account::{Account, Lifecycle, NotifiedReadiness, Provider},
    text::BoundedText,
};
use serde::{Deserialize, Serialize};

use super::{Inconsistent, counter, read_tenant};
use crate::{
    records::{self, Abilities, optional},
    schema::accounts,
    time::{instant, millis},
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
            merchant: account.merchant.as_str().to_owned(),
            mode: account.mode.as_str().to_owned(),
            id: account.id.as_str().to_owned(),
            provider: account.provider.as_str().to_owned(),
            venue_reference: account.venue_reference.as_ref().map(|it| it.as_str().to_owned()),
            lifecycle: account.lifecycle.as_str().to_owned(),
            credential_version: account.credential_version.into(),
            abilities: Abilities::text(account),
            created_at: millis(account.created_at),
            probe: account.probe.as_ref().map(records::json),
            notified_readiness: account.notified.as_ref().map_or_else(String::new, |it| it.as_str().to_owned()),
        }
    }
}

impl TryFrom<AccountRow> for Account {
    type Error = Inconsistent;

    fn try_from(row: AccountRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("accounts", &row.id);
        row.restore().map_err(broken)
    }
}

impl AccountRow {
    fn restore(&self) -> Result<Account, &'static str> {
        let tenant = read_tenant(&self.merchant, &self.mode).ok_or("merchant")?;
        let abilities = Abilities::read(&self.abilities).ok_or("abilities")?;
        Ok(Account {
            id: MerchantAccountId::parse(&self.id).ok_or("id")?,
            merchant: tenant.merchant,
            mode: tenant.mode,
            provider: Provider::from_code(&self.provider).ok_or("provider")?,
            venue_reference: optional(self.venue_reference.as_deref(), BoundedText::parse).ok_or("venue_reference")?,
            lifecycle: Lifecycle::from_code(&self.lifecycle).ok_or("lifecycle")?,
            is_mode_enabled: true,
            credential_version: counter(self.credential_version).ok_or("credential_version")?,
            currencies: abilities.currencies,
            card_brands: abilities.card_brands,
            three_ds_programs: abilities.three_ds_programs,
            wallets: abilities.wallets,
            probe: optional(self.probe.as_deref(), records::parse).ok_or("probe")?,
            notified: optional(
                Some(&*self.notified_readiness).filter(|it| !it.is_empty()),
                NotifiedReadiness::from_text,
            )
            .ok_or("notified_readiness")?,
            created_at: instant(self.created_at).ok_or("created_at")?,
        })
    }
}
