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
    read::{self, Object, Value},
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
            merchant: before.merchant,
            mode: before.mode,
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
            version: before.version,
            updated_at: before.updated_at,
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
    let legal_name = body.optional("legalName", "Registered name of the taxpayer.", read::line);
    let rnc = body.optional("rnc", "RNC of the issuer: 9 digits, with its check digit.", rnc);
    let display_name = body.optional("displayName", "Name that payers know.", read::line);
    let support_phone = body.optional("supportPhone", "Telephone number for payers, as printed.", read::line);
    let support_email = body.optional("supportEmail", "E-mail address for payers.", address::recipient);
    let permanent_address = body.optional("permanentAddress", "Address of the business.", permanent_address);
    let delivery_policy =
        body.optional("deliveryPolicy", "Delivery of goods that the checkout offers.", delivery_policy);
    let statement_descriptor = body.optional(
        "statementDescriptor",
        "Text on the payer's card statement: letters without accents, digits, spaces and `.,'&*-/`.",
        statement_descriptor,
    );
    let locale = body.optional("locale", "Language of the checkout (BCP 47). Default: `es-DO`.", locale);
    let is_propina_applicable = body.optional(
        "isPropinaApplicable",
        "Whether the merchant charges the legal tip (propina legal) of 10 %. Default: false.",
        read::boolean,
    );
    let default_checkout_mode = body.optional(
        "defaultCheckoutMode",
        "How the checkout presents a payment that has no `checkoutDisplay`. Default: `itemized`.",
        read::code,
    );
    let payment_window = body.optional(
        "paymentWindowSeconds",
        "Seconds in which a payment can be paid, 15 minutes to 7 days. Default: 86400 (one day).",
        payment_window,
    );
    let is_split_enabled =
        body.optional("isSplitEnabled", "Whether payers may split a bill. Default: false.", read::boolean);
    // The policy has one value, so it is checked and not stored.
    delivery_policy?;
    Some(ProfileDraft {
        legal_name: legal_name?,
        rnc: rnc?,
        display_name: display_name?,
        support_phone: support_phone?,
        support_email: support_email?,
        permanent_address: permanent_address?,
        statement_descriptor: statement_descriptor?,
        locale: locale?,
        is_propina_applicable: is_propina_applicable?,
        default_checkout_mode: default_checkout_mode?,
        payment_window: payment_window?,
        is_split_enabled: is_split_enabled?,
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
        let line1 = address.required("line1", "Street and number.", read::line);
        let line2 = address.optional("line2", "Building, floor or sector.", read::line);
        let city = address.required("city", "City or municipality.", read::line);
        let province = address.optional("province", "Province.", read::line);
        let postal_code = address.optional("postalCode", "Postal code.", read::line);
        let country_code = address.required("countryCode", "ISO 3166-1 alpha-2 code, such as `DO`.", country_code);
        Some(Address {
            line1: line1?,
            line2: line2?,
            city: city?,
            province: province?,
            postal_code: postal_code?,
            country_code: country_code?,
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
