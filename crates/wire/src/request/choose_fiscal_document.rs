//! `PUT /payments/{paymentId}/fiscal-document-choice`.

use domain::{Refusal, sale::Choice};

use super::document;
use crate::{
    json::Json,
    read::{self, Object, read_fields},
};

/// Parses the payer's choice. Absent fields stay unchanged.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<Choice, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<Choice> {
    read_fields!(body => Choice {
        kind: optional("kind", document::KIND, document::kind),
        buyer_tax_id: optional("buyer", document::BUYER, document::buyer),
        government: optional("governmentEligibility", document::GOVERNMENT, document::government);
        listed_buyer: None,
    })
}
