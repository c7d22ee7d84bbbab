//! `POST /payments/{paymentId}/split/renewals`.

use domain::Refusal;

use super::nothing::nothing;
use crate::json::Json;

/// Checks that `body` is empty: every part is wanted again.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<(), Refusal> {
    nothing(body)
}
