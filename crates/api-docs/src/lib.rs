//! Pages of `/docs`, rendered from the OpenAPI document. They need no script and no other host.

mod advice;
mod document;
mod example;
mod field;
mod operation;
mod page;
mod value_type;

use page::{Errors, Interface};

pub use advice::all_advice;
pub use page::ErrorRow;

/// Style sheet of the pages.
pub const STYLE: &str = include_str!("../assets/reference.css");

/// Error of rendering a page.
#[derive(Debug)]
pub enum PageError {
    /// The document is malformed JSON.
    Document(serde_json::Error),
    /// A template failed.
    Template(askama::Error),
}

/// Renders every operation at the anchor `operation-{operationId}`, and every schema at `schema-{name}`.
///
/// # Errors
///
/// [`PageError`], if the document is malformed.
pub fn interface(document: &str) -> Result<String, PageError> {
    let document = serde_json::from_str(document).map_err(PageError::Document)?;
    render(&Interface::of(&document))
}

/// Renders every error code at the anchor of the code.
///
/// # Errors
///
/// [`PageError`], if the template fails.
pub fn errors(rows: &[ErrorRow<'_>]) -> Result<String, PageError> {
    render(&Errors::of(rows))
}

fn render(page: &impl askama::Template) -> Result<String, PageError> {
    page.render().map_err(PageError::Template)
}
