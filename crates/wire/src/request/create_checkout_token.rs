//! `POST /checkout_tokens`.

use domain::{Refusal, credential::Scope};
use serde_json::json;

use crate::{
    json::Json,
    read::{self, Object, Value, read_fields},
};

/// Request for a checkout token. Without `Debug`, because the reference opens a receipt.
pub struct CheckoutTokenRequest {
    /// Reference as sent. The use case refuses malformed, unknown and foreign references alike.
    pub checkout_reference: String,
    /// `Pay` or `Receipt`.
    pub purpose: Scope,
}

/// Parses the request.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<CheckoutTokenRequest, Refusal> {
    read::request(body, fields)
}

const MAX_REFERENCE: usize = 256;

pub(crate) fn fields(body: &mut Object<'_>) -> Option<CheckoutTokenRequest> {
    let about = "`pay` for a token that pays, `receipt` for one that reads an ended payment and its document.";
    read_fields!(body => CheckoutTokenRequest {
        /// The `checkoutReference` of the payment.
        checkout_reference: required("checkoutReference", reference),
        purpose: required("purpose", about, |value| value.one_of(&[Scope::Pay, Scope::Receipt])),
    })
}

fn reference(value: Value<'_>) -> Option<String> {
    value.parsed(
        || json!({"type": "string", "maxLength": MAX_REFERENCE}),
        |text| (text.chars().count() <= MAX_REFERENCE).then(|| text.to_owned()),
        format_args!("The value must be a string of at most {MAX_REFERENCE} characters."),
    )
}
