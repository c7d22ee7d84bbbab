//! The pages. The templates escape whatever they are given.

use askama::Template;
use serde_json::Value;

use crate::{
    advice::advice,
    document::{Document, elements, fields, text},
    operation::{Operation, Schema, operations, schemas},
};

/// The whole interface.
#[derive(Template)]
#[template(path = "interface.html")]
pub(crate) struct Interface<'a> {
    title: &'a str,
    summary: &'a str,
    description: &'a str,
    credentials: Vec<(&'a str, &'a str)>,
    topics: Vec<Topic<'a>>,
    schemas: Vec<Schema<'a>>,
}

/// Operations that belong together.
struct Topic<'a> {
    name: &'a str,
    description: &'a str,
    operations: Vec<Operation<'a>>,
}

/// An error code and what it means.
#[derive(Clone, Copy)]
pub struct ErrorRow<'a> {
    /// Stable; it is its own anchor on the page.
    pub code: &'a str,
    /// The status that it comes with.
    pub status: u16,
    /// The family that an answer names in `type`.
    pub kind: &'a str,
    /// One sentence.
    pub meaning: &'a str,
}

/// Every error code.
#[derive(Template)]
#[template(path = "errors.html")]
pub(crate) struct Errors<'a> {
    statuses: Vec<Status<'a>>,
}

/// The codes of one status.
struct Status<'a> {
    status: u16,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    error: ErrorRow<'a>,
    /// A code may come with several statuses; its anchor stands once, and with it what to do.
    is_anchor: bool,
    /// Words and names by turns.
    advice: Vec<&'static str>,
}

impl<'a> Interface<'a> {
    pub(crate) fn of(document: &'a Value) -> Self {
        let document = Document::new(document);
        let mut rest = operations(document);
        let topics = elements(document.at("/tags")).iter().map(|tag| {
            let name = text(&tag["name"]);
            let operations = rest.extract_if(.., |it| it.tag == name).collect();
            Topic { name, description: text(&tag["description"]), operations }
        });
        Self {
            topics: topics.collect(),
            title: text(document.at("/info/title")),
            summary: text(document.at("/info/summary")),
            description: text(document.at("/info/description")),
            credentials: fields(document.at("/components/securitySchemes"))
                .map(|(name, scheme)| (name, text(&scheme["description"])))
                .collect(),
            schemas: schemas(document),
        }
    }
}

impl<'a> Errors<'a> {
    pub(crate) fn of(rows: &[ErrorRow<'a>]) -> Self {
        let mut statuses: Vec<Status<'a>> = Vec::new();
        for (index, error) in rows.iter().enumerate() {
            let is_anchor = rows[..index].iter().all(|earlier| earlier.code != error.code);
            let advice = advice(error.code).filter(|_| is_anchor);
            let advice = advice.map(|it| it.split('`').collect()).unwrap_or_default();
            let row = Row { error: *error, is_anchor, advice };
            match statuses.iter_mut().find(|it| it.status == error.status) {
                Some(status) => status.rows.push(row),
                None => statuses.push(Status { status: error.status, rows: vec![row] }),
            }
        }
        statuses.sort_by_key(|it| it.status);
        Self { statuses }
    }
}
