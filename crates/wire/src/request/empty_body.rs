//! Commands without parameters: the path is the whole request.

use domain::Refusal;

use crate::{
    json::Json,
    read::{self, Object},
};

/// Checks that `body` is an object without fields.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<(), Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(_: &mut Object<'_>) -> Option<()> {
    Some(())
}
