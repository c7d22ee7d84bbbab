//! Schemas of requests, responses and errors, by name.

mod problem;
mod requests;
mod responses;

pub(super) use problem::response_name;

use domain::fiscal::DocumentKind;
use serde_json::{Map, Value};

use crate::schema;

/// Returns every schema.
pub(super) fn all() -> Map<String, Value> {
    let schemas = requests::schemas().into_iter().chain(responses::schemas()).chain(problem::schemas());
    schemas.chain([("FiscalDocumentKind".to_owned(), document_kind())]).collect()
}

/// Returns the schema of a kind in responses. Requests name the kinds of a sale alone.
fn document_kind() -> Value {
    let number = |kind: &DocumentKind| format!("`{}` is E{}", kind.as_str(), kind.ecf_type());
    let numbers: Vec<String> = DocumentKind::ALL.iter().map(number).collect();
    let about = format!(
        "Kind of e-CF (electronic fiscal document): {}. More kinds may be added: tolerate unknown ones.",
        numbers.join(", ")
    );
    schema::with_description(schema::open_choice(DocumentKind::ALL.iter().map(|kind| kind.as_str())), &about)
}
