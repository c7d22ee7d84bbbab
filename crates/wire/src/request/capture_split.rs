//! `POST /payments/{paymentId}/split/captures`.

use domain::Refusal;

use super::nothing::nothing;
use crate::json::Json;

/// Checks that `body` is empty: everything that is reserved is captured.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<(), Refusal> {
    nothing(body)
}
