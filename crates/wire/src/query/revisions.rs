//! `GET /fiscal_documents/{fiscalDocumentId}/revisions`.

use domain::Refusal;

use super::{PageQuery, filters::Filters};

/// Parses the query of `GET /fiscal_documents/{fiscalDocumentId}/revisions`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn revisions(raw: &str, document: &str) -> Result<PageQuery, Refusal> {
    PageQuery::parse(raw, Filters::of("fiscal_revisions").text("fiscalDocumentId", Some(document)).finish())
}
