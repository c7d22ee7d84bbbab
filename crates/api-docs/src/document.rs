//! The document: what stands in it, and where its references lead.

use serde_json::{Map, Value};

/// An OpenAPI document. What is not there reads as nothing.
#[derive(Clone, Copy)]
pub(crate) struct Document<'a>(&'a Value);

impl<'a> Document<'a> {
    pub(crate) const fn new(value: &'a Value) -> Self {
        Self(value)
    }

    /// What a JSON pointer leads to.
    pub(crate) fn at(self, pointer: &str) -> &'a Value {
        self.0.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// The same value, or what it refers to.
    pub(crate) fn resolve(self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => self.at(pointer),
            None => value,
        }
    }
}

/// The fields of an object, sorted; none if it is not one.
pub(crate) fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

/// The elements of an array; none if it is not one.
pub(crate) fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The text, or an empty one.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// `Payment`, if the value refers to that schema.
pub(crate) fn schema_name(value: &Value) -> Option<&str> {
    value["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}
