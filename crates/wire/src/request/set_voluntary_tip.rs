//! `PUT /payments/{paymentId}/voluntary-tip`.

use domain::{Refusal, sale::AmountDraft};

use super::money;
use crate::{
    json::Json,
    read::{self, Object},
};

/// Parses the tip. The payment checks the currency.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<AmountDraft, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<AmountDraft> {
    let about = "The payer's voluntary tip, in the currency of the payment. Zero removes it.";
    body.required("amount", about, |value| money::amount(value, 0..=i64::MAX))
}
