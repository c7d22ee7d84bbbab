//! `POST /refunds/{refundId}/credit-note-corrections`.

use domain::{Refusal, fiscal::NoteText};

use crate::{
    json::Json,
    read::{self, Object},
};

/// Parses the request: another text of the reason, if any.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<Option<NoteText>, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<Option<NoteText>> {
    let about = "Text that the credit note states from now on: one line of 1 to 90 characters. Absent: unchanged.";
    body.optional("description", about, read::line)
}
