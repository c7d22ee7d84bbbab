//! `POST /webhook_endpoints/{webhookEndpointId}/secret-rotations`.

use chrono::TimeDelta;
use domain::Refusal;

use crate::{
    json::Json,
    read::{self, Value},
};

/// For how long both secrets sign unless it is said, and at most, in seconds.
const LONGEST: i64 = 86_400;

/// For how long both secrets sign.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<TimeDelta, Refusal> {
    read::request(body, |it| {
        let seconds = it.optional("overlapSeconds", seconds)?;
        Some(TimeDelta::seconds(seconds.unwrap_or(LONGEST)))
    })
}

fn seconds(value: Value<'_>) -> Option<i64> {
    let seconds = read::integer(value)?;
    if (0..=LONGEST).contains(&seconds) { Some(seconds) } else { value.invalid("The value must be from 0 to 86400.") }
}
