//! `POST /fiscal_documents/{fiscalDocumentId}/deliveries`.

use domain::{Refusal, text::Email};

use super::address;
use crate::{
    json::Json,
    read::{self, Object},
};

/// Request to send an issued document by e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEmailRequest {
    /// Recipient of the e-mail.
    pub recipient_email: Email,
}

/// Parses the request.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<DocumentEmailRequest, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<DocumentEmailRequest> {
    let about = "E-mail address to which the document is sent.";
    body.required("recipientEmail", about, address::recipient)
        .map(|recipient_email| DocumentEmailRequest { recipient_email })
}
