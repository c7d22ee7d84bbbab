//! `POST /webhook_endpoints/{webhookEndpointId}/secret-rotations`.

use chrono::TimeDelta;
use domain::Refusal;

use crate::{
    json::Json,
    read::{self, Object},
};

/// Maximum and default overlap of the two secrets, in seconds.
const MAX_OVERLAP: i64 = 86_400;

/// Parses the time during which deliveries carry the signatures of both secrets.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<TimeDelta, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<TimeDelta> {
    let about =
        "Seconds during which deliveries also carry the signature of the previous secret. Default: 86400 (one day).";
    let seconds = body.optional("overlapSeconds", about, |value| value.integer_of(0..=MAX_OVERLAP))?;
    Some(TimeDelta::seconds(seconds.unwrap_or(MAX_OVERLAP)))
}
