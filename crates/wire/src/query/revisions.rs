//! `GET /fiscal_documents/{fiscalDocumentId}/revisions`.

use domain::Refusal;

use super::{PageQuery, cursor, filters::Filters, limit, parameters};
use crate::read;

/// What the query `raw` of `GET /fiscal_documents/{fiscalDocumentId}/revisions` asks for.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if its name is plain.
pub fn revisions(raw: &str, document: &str) -> Result<PageQuery, Refusal> {
    read::request(&parameters(raw)?, |it| {
        let limit = limit(it);
        let cursor = it.optional("cursor", cursor);
        let filters = Filters::of("fiscal_revisions").text("fiscalDocumentId", Some(document)).finish();
        Some(PageQuery { limit: limit?, cursor: cursor?, filters })
    })
}
