//! `POST /checkout_tokens`.

use domain::{Refusal, credential::Scope};

use crate::{json::Json, read};

/// A wish for a token. It has no `Debug`: the reference opens a receipt.
pub struct CheckoutTokenRequest {
    /// As sent. Malformed, unknown and foreign references get one and the same answer, which is not given here.
    pub checkout_reference: String,
    /// To pay or to read the receipt; never to organize.
    pub purpose: Scope,
}

/// The wish in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<CheckoutTokenRequest, Refusal> {
    read::request(body, |it| {
        let checkout_reference = it.required("checkoutReference", |value| {
            let is_bounded = |text: &&str| text.chars().count() <= 256;
            let rule = "The value must be a string of at most 256 characters.";
            value.parsed(|text| Some(text).filter(is_bounded).map(str::to_owned), rule)
        });
        let purpose = it.required("purpose", |value| {
            value.one_of(|text| Scope::from_code(text).filter(|it| *it != Scope::Organizer))
        });
        Some(CheckoutTokenRequest { checkout_reference: checkout_reference?, purpose: purpose? })
    })
}
