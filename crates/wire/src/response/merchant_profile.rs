use domain::merchant::Profile;
use serde::Serialize;

use super::{
    Timestamp,
    checkout_display::{DeliveryPolicy, PermanentAddress},
};

/// How a merchant introduces itself, and what it still has to say before it can sell.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MerchantProfileResponse<'a> {
    object: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rnc: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    support_phone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    support_email: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permanent_address: Option<PermanentAddress<'a>>,
    delivery_policy: DeliveryPolicy,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement_descriptor: Option<&'a str>,
    locale: &'a str,
    is_propina_applicable: bool,
    default_checkout_mode: &'static str,
    payment_window_seconds: i64,
    is_split_enabled: bool,
    missing_fields: Vec<&'static str>,
    version: u32,
    updated_at: Timestamp,
}

impl<'a> From<&'a Profile> for MerchantProfileResponse<'a> {
    fn from(profile: &'a Profile) -> Self {
        Self {
            object: "merchant_profile",
            legal_name: profile.legal_name.as_ref().map(|it| it.as_str()),
            rnc: profile.rnc.as_ref().map(|it| it.as_str()),
            display_name: profile.display_name.as_ref().map(|it| it.as_str()),
            support_phone: profile.support_phone.as_ref().map(|it| it.as_str()),
            support_email: profile.support_email.as_ref().map(|it| it.as_str()),
            permanent_address: profile.permanent_address.as_ref().map(PermanentAddress::from),
            delivery_policy: DeliveryPolicy::NOT_OFFERED,
            statement_descriptor: profile.statement_descriptor.as_ref().map(|it| it.as_str()),
            locale: profile.locale.as_str(),
            is_propina_applicable: profile.is_propina_applicable,
            default_checkout_mode: profile.default_checkout_mode.as_str(),
            payment_window_seconds: profile.payment_window.num_seconds(),
            is_split_enabled: profile.is_split_enabled,
            missing_fields: profile.missing_fields(),
            version: profile.version,
            updated_at: profile.updated_at.into(),
        }
    }
}
