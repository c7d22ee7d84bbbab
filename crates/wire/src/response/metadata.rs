use domain::text::Prose;
use schemars::{Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::json;

/// Metadata in the order sent.
pub(super) struct Metadata<'a>(pub(super) &'a [(String, Prose)]);

/// Schema of metadata.
pub(super) fn metadata(_: &mut SchemaGenerator) -> Schema {
    json!({"type": "object", "additionalProperties": {"type": "string"}}).try_into().expect("a schema is an object")
}

/// Schema of metadata that may be `null`.
pub(super) fn nullable_metadata(_: &mut SchemaGenerator) -> Schema {
    let schema = json!({"type": ["object", "null"], "additionalProperties": {"type": "string"}});
    schema.try_into().expect("a schema is an object")
}

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value.as_str())))
    }
}
