//! `POST /fiscal_documents/{fiscalDocumentId}/deliveries`.

use domain::{Refusal, text::Email};

use super::address;
use crate::{json::Json, read};

/// Where an issued document is to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEmailRequest {
    /// To whom.
    pub recipient_email: Email,
}

/// The request in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<DocumentEmailRequest, Refusal> {
    read::request(body, |it| {
        let recipient_email = it.required("recipientEmail", |value| address::email(value, Email::recipient))?;
        Some(DocumentEmailRequest { recipient_email })
    })
}
