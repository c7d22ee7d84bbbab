//! Examples of bodies.

use serde_json::Value;

use crate::document::{Document, fields, text};

pub(crate) struct Example<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: String,
}

/// Returns the examples of a media type.
pub(crate) fn examples<'a>(document: Document<'a>, media: &'a Value) -> Vec<Example<'a>> {
    let named = fields(&media["examples"]).map(|(name, example)| (name, &document.resolve(example)["value"]));
    let single = [("", &media["example"])].into_iter().filter(|(_, value)| !value.is_null());
    named.chain(single).map(|(name, value)| Example { name, text: body(value) }).collect()
}

/// Returns the text of a string, and the indented JSON of any other value.
fn body(value: &Value) -> String {
    match value {
        Value::String(_) => text(value).to_owned(),
        _ => format!("{value:#}"),
    }
}
