//! Access to the OpenAPI document, with references.

use serde_json::{Map, Value};

/// OpenAPI document. Absent values read as `null`.
#[derive(Clone, Copy)]
pub(crate) struct Document<'a>(&'a Value);

impl<'a> Document<'a> {
    pub(crate) const fn new(value: &'a Value) -> Self {
        Self(value)
    }

    /// Returns the value at a JSON pointer.
    pub(crate) fn at(self, pointer: &str) -> &'a Value {
        self.0.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Follows the reference of `value`, if there is one.
    pub(crate) fn resolve(self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => self.at(pointer),
            None => value,
        }
    }
}

/// Returns the fields of an object, sorted by name.
pub(crate) fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

/// Returns the items of an array.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the text of a string.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the name of the schema that `value` refers to, such as `Payment`.
pub(crate) fn schema_name(value: &Value) -> Option<&str> {
    value["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}
