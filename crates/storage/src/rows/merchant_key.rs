use diesel::prelude::*;
use domain::credential::{MerchantKey, Role};

use super::{Inconsistent, read_tenant};
use crate::{
    records::{self, optional},
    schema::merchant_keys,
    time::{instant, millis},
};

/// One row of `merchant_keys`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = merchant_keys, treat_none_as_default_value = false)]
pub(crate) struct MerchantKeyRow {
    digest: Vec<u8>,
    merchant: String,
    mode: String,
    role: String,
    accounts: String,
    hint: String,
    created_at: i64,
    ends_at: Option<i64>,
}

impl From<&MerchantKey> for MerchantKeyRow {
    fn from(key: &MerchantKey) -> Self {
        Self {
            digest: key.digest.to_vec(),
            merchant: key.merchant.as_str().to_owned(),
            mode: key.mode.as_str().to_owned(),
            role: key.role.as_str().to_owned(),
            accounts: records::json(&key.accounts),
            hint: key.hint.clone(),
            created_at: millis(key.created_at),
            ends_at: key.ends_at.map(millis),
        }
    }
}

impl TryFrom<MerchantKeyRow> for MerchantKey {
    type Error = Inconsistent;

    fn try_from(row: MerchantKeyRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("merchant_keys", &row.hint);
        let tenant = read_tenant(&row.merchant, &row.mode).ok_or_else(|| broken("merchant"))?;
        Ok(Self {
            digest: row.digest.try_into().map_err(|_| broken("digest"))?,
            merchant: tenant.merchant,
            mode: tenant.mode,
            role: Role::from_code(&row.role).ok_or_else(|| broken("role"))?,
            accounts: records::parse(&row.accounts).ok_or_else(|| broken("accounts"))?,
            hint: row.hint,
            created_at: instant(row.created_at).ok_or_else(|| broken("created_at"))?,
            ends_at: optional(row.ends_at, instant).ok_or_else(|| broken("ends_at"))?,
        })
    }
}
