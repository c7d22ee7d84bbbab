//! `PUT /payments/{paymentId}/voluntary-tip`.

use domain::{Refusal, sale::AmountDraft};

use super::money;
use crate::{json::Json, read};

/// The tip in `body`; zero takes it away. That its currency is the payment's is for the payment to say.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<AmountDraft, Refusal> {
    read::request(body, |it| it.required("amount", |value| money::amount(value, 0..=i64::MAX)))
}
