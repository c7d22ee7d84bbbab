use domain::{Currency, MerchantAccountId, account::Account};
use serde::{Deserialize, Serialize};

use super::{all, read, text};

/// What an account can do.
#[derive(Serialize, Deserialize)]
pub(crate) struct Abilities {
    currencies: Vec<String>,
    pub(crate) card_brands: Vec<String>,
    pub(crate) three_ds_programs: Vec<String>,
    pub(crate) wallets: Vec<String>,
}

impl From<&Account> for Abilities {
    fn from(account: &Account) -> Self {
        Self {
            currencies: account.currencies.iter().map(|it| it.code().to_owned()).collect(),
            card_brands: account.card_brands.clone(),
            three_ds_programs: account.three_ds_programs.clone(),
            wallets: account.wallets.clone(),
        }
    }
}

impl Abilities {
    pub(crate) fn currencies(&self) -> Option<Vec<Currency>> {
        all(&self.currencies, Currency::from_code)
    }
}

/// The accounts that a key is restricted to.
pub(crate) fn keys_accounts(accounts: &[MerchantAccountId]) -> String {
    text(&accounts.iter().map(MerchantAccountId::as_str).collect::<Vec<_>>())
}

pub(crate) fn read_keys_accounts(text: &str) -> Option<Vec<MerchantAccountId>> {
    all(&read::<Vec<String>>(text)?, MerchantAccountId::parse)
}
