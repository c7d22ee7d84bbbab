//! `PUT /payments/{paymentId}/fiscal-document-choice`.

use domain::{Refusal, sale::Choice};

use super::document;
use crate::{json::Json, read};

/// The choice in `body`; what is left out stays as it is.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<Choice, Refusal> {
    read::request(body, |it| {
        let kind = it.optional("kind", document::kind);
        let buyer_tax_id = it.optional("buyer", document::buyer);
        let government = it.optional("governmentEligibility", document::government);
        Some(Choice { kind: kind?, buyer_tax_id: buyer_tax_id?, listed_buyer: None, government: government? })
    })
}
