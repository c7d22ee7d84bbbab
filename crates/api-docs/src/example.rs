//! Examples, as they go over the wire.

use serde_json::Value;

use crate::document::{Document, fields, text};

/// One body, and what it shows.
pub(crate) struct Example<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: String,
}

/// The examples of a media type.
pub(crate) fn examples<'a>(document: Document<'a>, media: &'a Value) -> Vec<Example<'a>> {
    let named = fields(&media["examples"]).map(|(name, it)| (name, &document.resolve(it)["value"]));
    let single = [("", &media["example"])].into_iter().filter(|(_, value)| !value.is_null());
    named.chain(single).map(|(name, value)| Example { name, text: spell(value) }).collect()
}

/// Text as it is, anything else as JSON.
fn spell(value: &Value) -> String {
    match value {
        Value::String(_) => text(value).to_owned(),
        _ => format!("{value:#}"),
    }
}
