//! Fields of bodies and parameters. A field has the dotted path that the `param` of an error contains.

use serde_json::Value;

use crate::{
    document::{Document, fields, items, text},
    value_type::ValueType,
};

/// Field of a body, or a parameter.
pub(crate) struct Field<'a> {
    /// Dotted path, such as `fiscalDocument.lines[].quantity`.
    pub(crate) path: String,
    /// `path`, `query` or `header` for a parameter.
    pub(crate) location: &'a str,
    pub(crate) is_required: bool,
    pub(crate) value_type: ValueType<'a>,
    pub(crate) description: &'a str,
}

/// Schema of a body: the fields, or the type if there are none.
pub(crate) struct BodySchema<'a> {
    pub(crate) value_type: ValueType<'a>,
    pub(crate) fields: Vec<Field<'a>>,
    /// Whether unknown fields are rejected.
    pub(crate) is_closed: bool,
}

impl<'a> BodySchema<'a> {
    pub(crate) fn of(schema: &'a Value) -> Self {
        let value_type = ValueType::of(schema);
        let is_closed = schema["additionalProperties"] == false;
        let mut fields = Vec::new();
        if let Some((object, suffix)) = value_type.inline {
            add_fields(object, suffix, &mut fields);
        }
        Self { value_type, fields, is_closed }
    }
}

/// Returns the parameters of an operation.
pub(crate) fn parameters<'a>(document: Document<'a>, operation: &'a Value) -> Vec<Field<'a>> {
    let parameters = items(&operation["parameters"]).iter().map(|parameter| document.resolve(parameter));
    let field = |parameter: &'a Value| {
        let schema = &parameter["schema"];
        let description = [&parameter["description"], &schema["description"]].map(text);
        Field {
            path: text(&parameter["name"]).to_owned(),
            location: text(&parameter["in"]),
            is_required: parameter["required"] == true,
            value_type: ValueType::of(schema),
            description: if description[0].is_empty() { description[1] } else { description[0] },
        }
    };
    parameters.map(field).collect()
}

/// Adds the fields of an object: required fields first, and each inner object right before the fields in it.
fn add_fields<'a>(object: &'a Value, prefix: &str, list: &mut Vec<Field<'a>>) {
    let required = items(&object["required"]);
    let is_required = |name: &str| required.iter().any(|required| required == name);
    let mut properties: Vec<(&str, &Value)> = fields(&object["properties"]).collect();
    properties.sort_by_key(|(name, _)| !is_required(name));
    for (name, schema) in properties {
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        let value_type = ValueType::of(schema);
        let inline = value_type.inline;
        let description = text(&schema["description"]);
        let is_required = is_required(name);
        list.push(Field { path: path.clone(), location: "", is_required, value_type, description });
        if let Some((object, suffix)) = inline {
            add_fields(object, &format!("{path}{suffix}"), list);
        }
    }
}
