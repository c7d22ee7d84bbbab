//! `PUT /payments/{paymentId}/fiscal-document-choice`.

use domain::{Refusal, sale::Choice};

use super::document;
use crate::{
    json::Json,
    read::{self, Object},
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
    let kind = body.optional("kind", document::KIND, document::kind);
    let buyer_tax_id = body.optional("buyer", document::BUYER, document::buyer);
    let government = body.optional("governmentEligibility", document::GOVERNMENT, document::government);
    Some(Choice { kind: kind?, buyer_tax_id: buyer_tax_id?, listed_buyer: None, government: government? })
}
