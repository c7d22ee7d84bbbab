//! `PUT /merchant_profile`.

use chrono::TimeDelta;
use domain::{
    Refusal,
    fiscal::TaxId,
    merchant::{Address, CheckoutMode, Profile},
    text::{BoundedText, Email},
};

use super::{address, document};
use crate::{
    json::Json,
    read::{self, Value},
};

/// What a merchant says of itself from now on: what is left out is as good as never said.
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

/// The shortest window that a payer can get through, and the longest for which a sale is kept open, in seconds.
const WINDOW: (i64, i64) = (15 * 60, 7 * 24 * 60 * 60);

impl ProfileDraft {
    /// The profile that replaces `before`: the same merchant's, in the same mode.
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

/// The profile in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. No field has to be there: a profile may be completed
/// later, as long as nothing is sold.
pub fn parse(body: &Json) -> Result<ProfileDraft, Refusal> {
    read::request(body, |it| {
        let legal_name = it.optional("legalName", read::line);
        let rnc = it.optional("rnc", rnc);
        let display_name = it.optional("displayName", read::line);
        let support_phone = it.optional("supportPhone", read::line);
        let support_email = it.optional("supportEmail", |value| address::email(value, Email::recipient));
        let permanent_address = it.optional("permanentAddress", permanent_address);
        let delivery_policy = it.optional("deliveryPolicy", delivery_policy);
        let statement_descriptor = it.optional("statementDescriptor", statement_descriptor);
        let locale = it.optional("locale", locale);
        let is_propina_applicable = it.optional("isPropinaApplicable", read::boolean);
        let default_checkout_mode = it.optional("defaultCheckoutMode", |value| value.one_of(CheckoutMode::from_code));
        let payment_window = it.optional("paymentWindowSeconds", payment_window);
        let is_split_enabled = it.optional("isSplitEnabled", read::boolean);
        // There is one policy, so nothing is kept of it.
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
    })
}

/// The number under which documents are issued, exactly as it is printed on them.
fn rnc(value: Value<'_>) -> Option<TaxId> {
    let is_plain = |text: &str| text.len() == 9 && text.bytes().all(|it| it.is_ascii_digit());
    let parse = |text: &str| TaxId::parse(text).ok().filter(|_| is_plain(text));
    value.parsed(parse, "The value must be an RNC: 9 digits, of which the last checks the others.")
}

fn permanent_address(value: Value<'_>) -> Option<Address> {
    value.object(|it| {
        let line1 = it.required("line1", read::line);
        let line2 = it.optional("line2", read::line);
        let city = it.required("city", read::line);
        let province = it.optional("province", read::line);
        let postal_code = it.optional("postalCode", read::line);
        let country_code = it.required("countryCode", country_code);
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
    let is_code = |it: &BoundedText<2, 2>| it.as_str().bytes().all(|byte| byte.is_ascii_uppercase());
    value.parsed(|text| BoundedText::parse(text).filter(is_code), "The value must be two upper-case letters.")
}

fn delivery_policy(value: Value<'_>) -> Option<()> {
    value.object(|it| it.required("kind", |value| document::only(value, "not_offered")))
}

/// What every card network prints. Anything else would be refused with the payment, long after it was saved.
fn statement_descriptor(value: Value<'_>) -> Option<BoundedText<1, 22>> {
    const RULE: &str = "The value must be 1 to 22 letters without accents, digits, spaces and .,'&*-/, not all spaces.";

    let stands = |byte: u8| byte.is_ascii_alphanumeric() || b" .,'&*-/".contains(&byte);
    value.parsed(|text| BoundedText::parse(text).filter(|_| text.bytes().all(stands)), RULE)
}

/// A language and what narrows it down: letters and digits, joined by hyphens (RFC 5646, 2.1).
fn locale(value: Value<'_>) -> Option<BoundedText<2, 16>> {
    const RULE: &str = "The value must be a language tag of 2 to 16 characters, such as es-DO.";

    let is_subtag = |it: &str| (1..=8).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_language = |it: &str| (2..=3).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_tag = |text: &str| text.split('-').all(is_subtag) && text.split('-').next().is_some_and(is_language);
    value.parsed(|text| BoundedText::parse(text).filter(|_| is_tag(text)), RULE)
}

fn payment_window(value: Value<'_>) -> Option<TimeDelta> {
    let (shortest, longest) = WINDOW;
    value.integer_of(shortest..=longest).map(TimeDelta::seconds)
}
