use domain::{
    merchant::{CheckoutMode, Profile},
    text::Email,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    checkout_display::{DeliveryPolicy, PermanentAddress},
    value::{Coded, MerchantProfileObject, NotOffered, Text, Timestamp},
};
use crate::schema;

/// Profile of a merchant.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MerchantProfile")]
pub struct MerchantProfileResponse<'a> {
    /// Type of the object.
    object: MerchantProfileObject,
    /// Registered name of the taxpayer.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_name: Option<Text<'a, 1, 256>>,
    /// RNC of the issuer: 9 digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = schema::RNC))]
    rnc: Option<&'a str>,
    /// Name that payers know.
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<Text<'a, 1, 128>>,
    /// Telephone number for payers.
    #[serde(skip_serializing_if = "Option::is_none")]
    support_phone: Option<Text<'a, 1, 32>>,
    /// E-mail address for payers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(email, length(max = Email::MAX_RECIPIENT))]
    support_email: Option<&'a str>,
    /// Address of the business, printed on documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    permanent_address: Option<PermanentAddress<'a>>,
    /// Delivery of goods.
    delivery_policy: DeliveryPolicy,
    /// Text on the payer's card statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    statement_descriptor: Option<Text<'a, 1, 22>>,
    /// Language of the checkout (BCP 47), such as `es-DO`.
    locale: Text<'a, 2, 16>,
    /// Whether the merchant charges the legal tip (propina legal) of 10 %.
    is_propina_applicable: bool,
    /// How the checkout presents a payment that has no `checkoutDisplay`.
    default_checkout_mode: Coded<CheckoutMode>,
    /// Seconds in which a payment can be paid.
    payment_window_seconds: i64,
    /// Whether payers may split a bill.
    is_split_enabled: bool,
    /// Fields that the merchant must set before the first sale.
    missing_fields: Vec<&'static str>,
    /// Number of times that the profile was written.
    version: u32,
    /// When the profile was last written.
    updated_at: Timestamp,
}

impl<'a> From<&'a Profile> for MerchantProfileResponse<'a> {
    fn from(profile: &'a Profile) -> Self {
        Self {
            object: MerchantProfileObject,
            legal_name: profile.legal_name.as_ref().map(Text::from),
            rnc: profile.rnc.as_ref().map(|rnc| rnc.as_str()),
            display_name: profile.display_name.as_ref().map(Text::from),
            support_phone: profile.support_phone.as_ref().map(Text::from),
            support_email: profile.support_email.as_ref().map(|email| email.as_str()),
            permanent_address: profile.permanent_address.as_ref().map(PermanentAddress::from),
            delivery_policy: DeliveryPolicy { kind: NotOffered },
            statement_descriptor: profile.statement_descriptor.as_ref().map(Text::from),
            locale: (&profile.locale).into(),
            is_propina_applicable: profile.is_propina_applicable,
            default_checkout_mode: profile.default_checkout_mode.into(),
            payment_window_seconds: profile.payment_window.num_seconds(),
            is_split_enabled: profile.is_split_enabled,
            missing_fields: profile.missing_fields(),
            version: profile.version,
            updated_at: profile.updated_at.into(),
        }
    }
}
