//! `POST /webhook_endpoints/{webhookEndpointId}/tests`.

use domain::Refusal;

use super::nothing::nothing;
use crate::json::Json;

/// Checks that `body` is empty.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<(), Refusal> {
    nothing(body)
}
