//! Fields, each by the dotted path that an error's `param` names it by.

use serde_json::Value;

use crate::{
    document::{Document, elements, fields, text},
    kind::Kind,
};

/// A field of a body, or a parameter.
pub(crate) struct Field<'a> {
    /// `fiscalDocument.lines[].quantity`.
    pub(crate) path: String,
    /// "path", "query" or "header", for a parameter.
    pub(crate) place: &'a str,
    pub(crate) is_required: bool,
    pub(crate) kind: Kind<'a>,
    pub(crate) description: &'a str,
}

/// A schema of a body: its fields, or what it is if it has none.
pub(crate) struct Shape<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) fields: Vec<Field<'a>>,
    /// Whether what is not listed is refused.
    pub(crate) is_closed: bool,
}

impl<'a> Shape<'a> {
    pub(crate) fn of(schema: &'a Value) -> Self {
        let mut shape =
            Self { kind: Kind::of(schema), fields: Vec::new(), is_closed: schema["additionalProperties"] == false };
        if let Some((object, suffix)) = shape.kind.inline {
            add(object, suffix, &mut shape.fields);
        }
        shape
    }
}

/// The parameters of an operation.
pub(crate) fn parameters<'a>(document: Document<'a>, operation: &'a Value) -> Vec<Field<'a>> {
    let parameters = elements(&operation["parameters"]).iter().map(|parameter| document.resolve(parameter));
    let field = |parameter: &'a Value| {
        let schema = &parameter["schema"];
        let description = [&parameter["description"], &schema["description"]].map(text);
        Field {
            path: text(&parameter["name"]).to_owned(),
            place: text(&parameter["in"]),
            is_required: parameter["required"] == true,
            kind: Kind::of(schema),
            description: if description[0].is_empty() { description[1] } else { description[0] },
        }
    };
    parameters.map(field).collect()
}

/// What is required comes first, and each object right before its own fields.
fn add<'a>(object: &'a Value, prefix: &str, into: &mut Vec<Field<'a>>) {
    let required = elements(&object["required"]);
    let is_required = |name: &str| required.iter().any(|it| it == name);
    let mut names: Vec<(&str, &Value)> = fields(&object["properties"]).collect();
    names.sort_by_key(|(name, _)| !is_required(name));
    for (name, schema) in names {
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        let kind = Kind::of(schema);
        let inline = kind.inline;
        let description = text(&schema["description"]);
        into.push(Field { path: path.clone(), place: "", is_required: is_required(name), kind, description });
        if let Some((object, suffix)) = inline {
            add(object, &format!("{path}{suffix}"), into);
        }
    }
}
