//! `PUT /payments/{paymentId}/fiscal-document-choice`.

use domain::{
    Refusal,
    fiscal::{DocumentKind, GovernmentEligibility},
    text::Line,
};

use super::document;
use crate::{json::Json, read};

/// What is chosen; what is left out stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct FiscalDocumentChoice {
    pub kind: Option<DocumentKind>,
    /// As sent; its digits are checked when the choice is made.
    pub buyer_tax_id: Option<Line<1, 64>>,
    pub government: Option<GovernmentEligibility>,
}

/// The choice in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<FiscalDocumentChoice, Refusal> {
    read::request(body, |it| {
        let kind = it.optional("kind", document::kind);
        let buyer_tax_id = it.optional("buyer", document::buyer);
        let government = it.optional("governmentEligibility", document::government);
        Some(FiscalDocumentChoice { kind: kind?, buyer_tax_id: buyer_tax_id?, government: government? })
    })
}
