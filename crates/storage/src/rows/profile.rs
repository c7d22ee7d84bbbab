use chrono::TimeDelta;
use diesel::prelude::*;
use domain::{
    fiscal::TaxId,
    merchant::{CheckoutMode, Profile},
    text::{BoundedText, Email},
};

use super::{Inconsistent, counter, read_tenant};
use crate::{
    records::{self, optional},
    schema::profiles,
    time::{instant, millis},
};

/// One row of `profiles`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = profiles,
    primary_key(merchant, mode),
    treat_none_as_null = true,
    treat_none_as_default_value = false
)]
pub(crate) struct ProfileRow {
    merchant: String,
    mode: String,
    legal_name: Option<String>,
    rnc: Option<String>,
    display_name: Option<String>,
    support_phone: Option<String>,
    support_email: Option<String>,
    permanent_address: Option<String>,
    statement_descriptor: Option<String>,
    locale: String,
    is_propina_applicable: bool,
    default_checkout_mode: String,
    payment_window: i64,
    is_split_enabled: bool,
    version: i64,
    updated_at: i64,
}

impl From<&Profile> for ProfileRow {
    fn from(profile: &Profile) -> Self {
        Self {
            merchant: profile.merchant.as_str().to_owned(),
            mode: profile.mode.as_str().to_owned(),
            legal_name: profile.legal_name.as_ref().map(|it| it.as_str().to_owned()),
            rnc: profile.rnc.as_ref().map(|it| it.as_str().to_owned()),
            display_name: profile.display_name.as_ref().map(|it| it.as_str().to_owned()),
            support_phone: profile.support_phone.as_ref().map(|it| it.as_str().to_owned()),
            support_email: profile.support_email.as_ref().map(|it| it.as_str().to_owned()),
            permanent_address: profile.permanent_address.as_ref().map(records::json),
            statement_descriptor: profile.statement_descriptor.as_ref().map(|it| it.as_str().to_owned()),
            locale: profile.locale.as_str().to_owned(),
            is_propina_applicable: profile.is_propina_applicable,
            default_checkout_mode: profile.default_checkout_mode.as_str().to_owned(),
            payment_window: profile.payment_window.num_milliseconds(),
            is_split_enabled: profile.is_split_enabled,
            version: profile.version.into(),
            updated_at: millis(profile.updated_at),
        }
    }
}

impl TryFrom<ProfileRow> for Profile {
    type Error = Inconsistent;

    fn try_from(row: ProfileRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("profiles", &row.merchant);
        row.restore().map_err(broken)
    }
}

impl ProfileRow {
    fn restore(&self) -> Result<Profile, &'static str> {
        let tenant = read_tenant(&self.merchant, &self.mode).ok_or("merchant")?;
        Ok(Profile {
            merchant: tenant.merchant,
            mode: tenant.mode,
            legal_name: optional(self.legal_name.as_deref(), BoundedText::parse).ok_or("legal_name")?,
            rnc: optional(self.rnc.as_deref(), |it| TaxId::parse(it).ok()).ok_or("rnc")?,
            display_name: optional(self.display_name.as_deref(), BoundedText::parse).ok_or("display_name")?,
            support_phone: optional(self.support_phone.as_deref(), BoundedText::parse).ok_or("support_phone")?,
            support_email: optional(self.support_email.as_deref(), Email::parse).ok_or("support_email")?,
            permanent_address: optional(self.permanent_address.as_deref(), records::parse)
                .ok_or("permanent_address")?,
            statement_descriptor: optional(self.statement_descriptor.as_deref(), BoundedText::parse)
                .ok_or("statement_descriptor")?,
            locale: BoundedText::parse(&self.locale).ok_or("locale")?,
            is_propina_applicable: self.is_propina_applicable,
            default_checkout_mode: CheckoutMode::from_code(&self.default_checkout_mode)
                .ok_or("default_checkout_mode")?,
            payment_window: TimeDelta::try_milliseconds(self.payment_window).ok_or("payment_window")?,
            is_split_enabled: self.is_split_enabled,
            version: counter(self.version).ok_or("version")?,
            updated_at: instant(self.updated_at).ok_or("updated_at")?,
        })
    }
}
