//! Data of the pages. The templates escape all text.

use askama::Template;
use serde_json::Value;

use crate::{
    advice::advice,
    document::{Document, fields, items, text},
    operation::{Operation, Schema, operations, schemas},
};

/// Page of all operations and schemas.
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

/// Operations with the same tag.
struct Topic<'a> {
    name: &'a str,
    description: &'a str,
    operations: Vec<Operation<'a>>,
}

/// Row of the table of error codes.
#[derive(Clone, Copy)]
pub struct ErrorRow<'a> {
    /// Stable code, and anchor on the page.
    pub code: &'a str,
    /// HTTP status of the response.
    pub status: u16,
    /// `type` of the error.
    pub kind: &'a str,
    /// Meaning in one sentence.
    pub meaning: &'a str,
}

/// Page of all error codes.
#[derive(Template)]
#[template(path = "errors.html")]
pub(crate) struct Errors<'a> {
    statuses: Vec<Status<'a>>,
}

/// Codes of one status.
struct Status<'a> {
    status: u16,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    error: ErrorRow<'a>,
    /// Whether this is the first row of the code. Anchor and advice appear once.
    is_anchor: bool,
    advice: &'static str,
}

impl<'a> Interface<'a> {
    pub(crate) fn of(document: &'a Value) -> Self {
        let document = Document::new(document);
        let mut rest = operations(document);
        let topics = items(document.at("/tags")).iter().map(|tag| {
            let name = text(&tag["name"]);
            let operations = rest.extract_if(.., |operation| operation.tag == name).collect();
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
            let advice = advice(error.code).filter(|_| is_anchor).unwrap_or_default();
            let row = Row { error: *error, is_anchor, advice };
            match statuses.iter_mut().find(|group| group.status == error.status) {
                Some(status) => status.rows.push(row),
                None => statuses.push(Status { status: error.status, rows: vec![row] }),
            }
        }
        statuses.sort_by_key(|group| group.status);
        Self { statuses }
    }
}
