//! `POST /payments/{paymentId}/cancellations`.

use domain::Refusal;

use crate::{
    json::Json,
    read::{self, Object},
};

/// Checks the reason in `body`, which is not stored.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<(), Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<()> {
    let reasons = ["requested_by_merchant", "requested_by_customer", "other"];
    body.required("reason", "Why the payment is canceled.", |value| value.word(&reasons)).map(drop)
}
