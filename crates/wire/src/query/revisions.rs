//! `GET /fiscal_documents/{fiscalDocumentId}/revisions`.

use domain::{Refusal, listing::PageRequest};

use super::{filters::Filters, only_page};

/// Parses the query of `GET /fiscal_documents/{fiscalDocumentId}/revisions`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn revisions(raw: &str, document: &str) -> Result<PageRequest, Refusal> {
    only_page(raw, Filters::of("fiscal_revisions").text("fiscalDocumentId", Some(document)).finish())
}
