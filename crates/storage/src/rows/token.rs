use diesel::prelude::*;
use domain::{
    PaymentId,
    credential::{CheckoutToken, Scope},
};

use super::{Inconsistent, read_tenant};
use crate::{
    schema::checkout_tokens,
    time::{instant, millis},
};

/// One row of `checkout_tokens`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = checkout_tokens, treat_none_as_default_value = false)]
pub(crate) struct TokenRow {
    digest: Vec<u8>,
    merchant: String,
    mode: String,
    payment: String,
    scope: String,
    expires_at: i64,
}

impl From<&CheckoutToken> for TokenRow {
    fn from(token: &CheckoutToken) -> Self {
        Self {
            digest: token.digest.to_vec(),
            merchant: token.merchant.as_str().to_owned(),
            mode: token.mode.as_str().to_owned(),
            payment: token.payment.as_str().to_owned(),
            scope: token.scope.as_str().to_owned(),
            expires_at: millis(token.expires_at),
        }
    }
}

impl TryFrom<TokenRow> for CheckoutToken {
    type Error = Inconsistent;

    fn try_from(row: TokenRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("checkout_tokens", &row.payment);
        let tenant = read_tenant(&row.merchant, &row.mode).ok_or_else(|| broken("merchant"))?;
        Ok(Self {
            digest: row.digest.try_into().map_err(|_| broken("digest"))?,
            merchant: tenant.merchant,
            mode: tenant.mode,
            payment: PaymentId::parse(&row.payment).ok_or_else(|| broken("payment"))?,
            scope: Scope::from_code(&row.scope).ok_or_else(|| broken("scope"))?,
            expires_at: instant(row.expires_at).ok_or_else(|| broken("expires_at"))?,
        })
    }
}
