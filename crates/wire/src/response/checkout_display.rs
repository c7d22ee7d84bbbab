use chrono::{DateTime, Utc};
use domain::{
    fiscal::{BuyerRequirement, DocumentKind},
    merchant::{Address, CheckoutMode, MerchantDisplay},
    sale::Sale,
    text::Email,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Coded, NotOffered, Text};
use crate::schema;

/// How the checkout presents a sale.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckoutDisplay<'a> {
    /// `itemized` shows each line, `grouped` the total of each group of lines, `amount_only` the description.
    mode: Coded<CheckoutMode>,
    /// Language of the checkout (BCP 47), such as `es-DO`.
    locale: Text<'a, 2, 16>,
    /// Merchant as shown to payers.
    merchant: Merchant<'a>,
    /// Kinds of e-CF that the payer may choose.
    fiscal: Fiscal,
    /// Service charges of the merchant.
    service_charges: ServiceCharges,
    /// Codes of the wallets that the checkout accepts.
    wallets: &'a [String],
    /// Codes of the card brands that the checkout accepts.
    #[schemars(length(max = 3), extend("uniqueItems" = true))]
    accepted_card_brands: &'a [String],
    /// Codes of the 3-D Secure programs. If empty, card submission does not use 3-D Secure.
    #[schemars(length(max = 3), extend("uniqueItems" = true))]
    three_ds_programs: &'a [String],
}

/// Merchant as shown to payers.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DisplayedMerchant")]
struct Merchant<'a> {
    /// Registered name of the taxpayer.
    legal_name: Text<'a, 1, 256>,
    /// RNC of the issuer: 9 digits.
    #[schemars(regex(pattern = schema::RNC))]
    rnc: &'a str,
    /// Name that payers know.
    display_name: Text<'a, 1, 128>,
    /// Telephone number for payers.
    support_phone: Text<'a, 1, 32>,
    /// E-mail address for payers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(email, length(max = Email::MAX_RECIPIENT))]
    support_email: Option<&'a str>,
    /// Address of the business.
    permanent_address: PermanentAddress<'a>,
    /// Delivery of goods.
    delivery_policy: DeliveryPolicy,
    /// Text on the payer's card statement.
    statement_descriptor: Text<'a, 1, 22>,
}

/// Address of the business.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermanentAddress<'a> {
    /// Street and number.
    line1: Text<'a, 1, 160>,
    /// Building, floor or sector.
    #[serde(skip_serializing_if = "Option::is_none")]
    line2: Option<Text<'a, 1, 160>>,
    /// City or municipality.
    city: Text<'a, 1, 80>,
    /// Province.
    #[serde(skip_serializing_if = "Option::is_none")]
    province: Option<Text<'a, 1, 80>>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<Text<'a, 1, 20>>,
    /// ISO 3166-1 alpha-2 code, such as `DO`.
    #[schemars(regex(pattern = schema::COUNTRY))]
    country_code: &'a str,
}

/// Delivery of goods.
#[derive(JsonSchema, Serialize)]
pub(super) struct DeliveryPolicy {
    /// Delivery of goods is not offered.
    pub(super) kind: NotOffered,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Fiscal {
    /// Every kind of e-CF, and whether the payer may choose this kind.
    available_kinds: Vec<AvailableKind>,
    /// Whether the payer must keep the kind.
    is_locked: bool,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct AvailableKind {
    /// Kind of e-CF.
    #[schemars(schema_with = "super::document_kind")]
    kind: Coded<DocumentKind>,
    /// Whether the payer may choose the kind.
    is_available: bool,
    /// Whether the kind needs a buyer.
    buyer_requirement: Coded<BuyerRequirement>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct ServiceCharges {
    /// Whether the merchant charges the legal tip (propina legal) of 10 %.
    is_propina_applicable: bool,
}

impl<'a> CheckoutDisplay<'a> {
    pub(super) fn of(sale: &'a Sale, now: DateTime<Utc>) -> Self {
        let display = &sale.payment.facts.display;
        Self {
            mode: display.mode.into(),
            locale: (&display.locale).into(),
            merchant: Merchant::from(&display.merchant),
            fiscal: Fiscal::of(sale, now),
            service_charges: ServiceCharges { is_propina_applicable: display.is_propina_applicable },
            wallets: &display.wallets,
            accepted_card_brands: &display.card_brands,
            three_ds_programs: &display.three_ds_programs,
        }
    }
}

impl Fiscal {
    fn of(sale: &Sale, now: DateTime<Utc>) -> Self {
        let total = sale.document.total_in_pesos();
        let available_kind = |kind: &DocumentKind| AvailableKind {
            kind: (*kind).into(),
            is_available: sale.payment.facts.display.available_kinds.contains(kind),
            buyer_requirement: kind.buyer_requirement(total).into(),
        };
        Self {
            available_kinds: DocumentKind::SALE.iter().map(available_kind).collect(),
            is_locked: sale.document.facts.is_kind_locked || !sale.payment.is_editable(now),
        }
    }
}

impl<'a> From<&'a MerchantDisplay> for Merchant<'a> {
    fn from(merchant: &'a MerchantDisplay) -> Self {
        Self {
            legal_name: (&merchant.legal_name).into(),
            rnc: merchant.rnc.as_str(),
            display_name: (&merchant.display_name).into(),
            support_phone: (&merchant.support_phone).into(),
            support_email: merchant.support_email.as_ref().map(|email| email.as_str()),
            permanent_address: (&merchant.permanent_address).into(),
            delivery_policy: DeliveryPolicy { kind: NotOffered },
            statement_descriptor: (&merchant.statement_descriptor).into(),
        }
    }
}

impl<'a> From<&'a Address> for PermanentAddress<'a> {
    fn from(address: &'a Address) -> Self {
        Self {
            line1: (&address.line1).into(),
            line2: address.line2.as_ref().map(Text::from),
            city: (&address.city).into(),
            province: address.province.as_ref().map(Text::from),
            postal_code: address.postal_code.as_ref().map(Text::from),
            country_code: address.country_code.as_str(),
        }
    }
}
