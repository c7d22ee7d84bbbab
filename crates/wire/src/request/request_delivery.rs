//! `POST /fiscal_documents/{fiscalDocumentId}/deliveries`.

use domain::{Refusal, text::Email};

use super::address;
use crate::{
    json::Json,
    read::{self, Object},
};

/// Parses the recipient of the e-mail.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<Email, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<Email> {
    let about = "E-mail address to which the document is sent.";
    body.required("recipientEmail", about, address::recipient)
}
