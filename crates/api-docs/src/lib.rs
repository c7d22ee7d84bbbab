//! The interface as pages for people, rendered on the server from the very document that programs read. They need no
//! script, and nothing from any other host.

mod advice;
mod document;
mod example;
mod field;
mod kind;
mod operation;
mod page;

use page::{Errors, Interface};

pub use advice::ADVICE;
pub use page::ErrorRow;

/// What the pages look like, as CSS.
pub const STYLE: &str = include_str!("../assets/reference.css");

/// A page could not be made.
#[derive(Debug)]
pub enum Failure {
    /// The document is no JSON.
    Document(serde_json::Error),
    /// A template failed.
    Template(askama::Error),
}

/// Everything that the document says, on one page. Each operation stands at `#operation-` and its name, each schema
/// at `#schema-` and its own.
pub fn interface(document: &str) -> Result<String, Failure> {
    let document = serde_json::from_str(document).map_err(Failure::Document)?;
    render(&Interface::of(&document))
}

/// The error codes, each at the anchor of its own name.
pub fn errors(rows: &[ErrorRow<'_>]) -> Result<String, Failure> {
    render(&Errors::of(rows))
}

fn render(page: &impl askama::Template) -> Result<String, Failure> {
    page.render().map_err(Failure::Template)
}
