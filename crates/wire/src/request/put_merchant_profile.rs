//! `PUT /merchant_profile`.

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use domain::{
    Refusal,
    fiscal::TaxId,
    merchant::{Address, CheckoutMode, Profile},
    text::{BoundedText, Email},
};
use serde_json::json;

use super::address;
use crate::{
    json::Json,
    read::{self, Object, Value, read_fields},
    schema,
};

/// New profile of a merchant. Absent fields are cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the contract")]
pub struct ProfileDraft {
    pub legal_name: Option<BoundedText<1, 256>>,
    pub rnc: Option<TaxId>,
    pub display_name: Option<BoundedText<1, 128>>,
    pub support_phone: Option<BoundedText<1, 32>>,
    pub support_email: Option<Email>,
    pub permanent_address: Option<Address>,
    /// Checked and not stored: the policy has one value.
    pub delivery_policy: Option<()>,
    pub statement_descriptor: Option<BoundedText<1, 22>>,
    pub locale: Option<BoundedText<2, 16>>,
    pub is_propina_applicable: Option<bool>,
    pub default_checkout_mode: Option<CheckoutMode>,
    pub payment_window: Option<TimeDelta>,
    pub is_split_enabled: Option<bool>,
}

impl ProfileDraft {
    /// Returns the profile that replaces `before`, of the same merchant and mode.
    pub fn apply(&self, before: Profile) -> Profile {
        let blank = Profile::blank(&before.merchant, before.mode, before.updated_at);
        Profile {
            legal_name: self.legal_name.clone(),
            rnc: self.rnc.clone(),
            display_name: self.display_name.clone(),
            support_phone: self.support_phone.clone(),
            support_email: self.support_email.clone(),
            permanent_address: self.permanent_address.clone(),
            statement_descriptor: self.statement_descriptor.clone(),
            locale: self.locale.clone().unwrap_or(blank.locale),
            is_propina_applicable: self.is_propina_applicable.unwrap_or(blank.is_propina_applicable),
            default_checkout_mode: self.default_checkout_mode.unwrap_or(blank.default_checkout_mode),
            payment_window: self.payment_window.unwrap_or(blank.payment_window),
            is_split_enabled: self.is_split_enabled.unwrap_or(blank.is_split_enabled),
            ..before
        }
    }
}

/// Parses the profile. No field is required: an incomplete profile is stored, but cannot sell.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<ProfileDraft, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<ProfileDraft> {
    read_fields!(body => ProfileDraft {
        /// Registered name of the taxpayer.
        legal_name: optional("legalName", read::line),
        /// RNC of the issuer: 9 digits, with its check digit.
        rnc: optional("rnc", rnc),
        /// Name that payers know.
        display_name: optional("displayName", read::line),
        /// Telephone number for payers, as printed.
        support_phone: optional("supportPhone", read::line),
        /// E-mail address for payers.
        support_email: optional("supportEmail", address::recipient),
        /// Address of the business.
        permanent_address: optional("permanentAddress", permanent_address),
        /// Delivery of goods that the checkout offers.
        delivery_policy: optional("deliveryPolicy", delivery_policy),
        /// Text on the payer's card statement: letters without accents, digits, spaces and `.,'&*-/`.
        statement_descriptor: optional("statementDescriptor", statement_descriptor),
        /// Language of the checkout (BCP 47). Default: `es-DO`.
        locale: optional("locale", locale),
        /// Whether the merchant charges the legal tip (propina legal) of 10 %. Default: false.
        is_propina_applicable: optional("isPropinaApplicable", read::boolean),
        /// How the checkout presents a payment that has no `checkoutDisplay`. Default: `itemized`.
        default_checkout_mode: optional("defaultCheckoutMode", read::code),
        /// Seconds in which a payment can be paid, 15 minutes to 7 days. Default: 86400 (one day).
        payment_window: optional("paymentWindowSeconds", payment_window),
        /// Whether payers may split a bill. Default: false.
        is_split_enabled: optional("isSplitEnabled", read::boolean),
    })
}

/// Reads an RNC in the form that documents print.
fn rnc(value: Value<'_>) -> Option<TaxId> {
    let is_plain = |text: &str| text.len() == 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    let parse = |text: &str| TaxId::parse(text).ok().filter(|_| is_plain(text));
    let schema = || schema::matching(schema::RNC);
    value.parsed(schema, parse, "The value must be an RNC: 9 digits, of which the last checks the others.")
}

fn permanent_address(value: Value<'_>) -> Option<Address> {
    value.object(|address| {
        read_fields!(address => Address {
            /// Street and number.
            line1: required("line1", read::line),
            /// Building, floor or sector.
            line2: optional("line2", read::line),
            /// City or municipality.
            city: required("city", read::line),
            /// Province.
            province: optional("province", read::line),
            /// Postal code.
            postal_code: optional("postalCode", read::line),
            /// ISO 3166-1 alpha-2 code, such as `DO`.
            country_code: required("countryCode", country_code),
        })
    })
}

fn country_code(value: Value<'_>) -> Option<BoundedText<2, 2>> {
    let is_code = |code: &BoundedText<2, 2>| code.as_str().bytes().all(|byte| byte.is_ascii_uppercase());
    let parse = |text: &str| BoundedText::parse(text).filter(is_code);
    value.parsed(|| schema::matching(schema::COUNTRY), parse, "The value must be two upper-case letters.")
}

fn delivery_policy(value: Value<'_>) -> Option<()> {
    value.object(|policy| {
        policy.required("kind", "Delivery of goods is not offered.", |value| value.only("not_offered"))
    })
}

/// Reads a text that every card network can print, so that no payment is refused later.
fn statement_descriptor(value: Value<'_>) -> Option<BoundedText<1, 22>> {
    const PATTERN: &str = r"^[A-Za-z0-9 .,'&*/-]*[A-Za-z0-9.,'&*/-][A-Za-z0-9 .,'&*/-]*$";
    const RULE: &str = "The value must be 1 to 22 letters without accents, digits, spaces and .,'&*-/, not all spaces.";

    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b" .,'&*-/".contains(&byte);
    let parse = |text: &str| BoundedText::parse(text).filter(|_| text.bytes().all(is_allowed));
    value.parsed(|| schema::with(schema::text(1..=22), [("pattern", json!(PATTERN))]), parse, RULE)
}

/// Reads a language tag (RFC 5646, 2.1).
fn locale(value: Value<'_>) -> Option<BoundedText<2, 16>> {
    const PATTERN: &str = "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$";
    const RULE: &str = "The value must be a language tag of 2 to 16 characters, such as es-DO.";

    let is_subtag = |tag: &str| (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_language = |tag: &str| (2..=3).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_tag = |text: &str| text.split('-').all(is_subtag) && text.split('-').next().is_some_and(is_language);
    let schema = || schema::with(schema::matching(PATTERN), [("maxLength", json!(16))]);
    value.parsed(schema, |text| BoundedText::parse(text).filter(|_| is_tag(text)), RULE)
}

/// Seconds of the payment window: from what a payer needs at least to one week.
const WINDOW: RangeInclusive<i64> = 15 * 60..=7 * 24 * 60 * 60;

fn payment_window(value: Value<'_>) -> Option<TimeDelta> {
    value.integer_of(WINDOW).map(TimeDelta::seconds)
}
