//! What schemas are made of (JSON Schema 2020-12). Each piece says of a value what the reader of the same name demands
//! of it.

use std::ops::RangeInclusive;

use domain::{Symbols, merchant::CheckoutMode, text::Prose};
use serde_json::{Map, Value, json};

/// A field of an object.
pub(super) struct Field {
    name: &'static str,
    is_required: bool,
    schema: Value,
}

/// A field that is always there.
pub(super) fn required(name: &'static str, schema: Value) -> Field {
    Field { name, is_required: true, schema }
}

/// A field that may be left out.
pub(super) fn optional(name: &'static str, schema: Value) -> Field {
    Field { name, is_required: false, schema }
}

/// An object that may have more fields than these: answers grow.
pub(super) fn open(fields: impl IntoIterator<Item = Field>) -> Value {
    let mut names = Vec::new();
    let mut properties = Map::new();
    for Field { name, is_required, schema } in fields {
        if is_required {
            names.push(name);
        }
        properties.insert(name.to_owned(), schema);
    }
    let mut object = json!({"type": "object", "properties": properties});
    if !names.is_empty() {
        object["required"] = json!(names);
    }
    object
}

/// An object that has no other fields: requests mean what they say.
pub(super) fn closed(fields: impl IntoIterator<Item = Field>) -> Value {
    with(open(fields), [("additionalProperties", json!(false))])
}

/// The schema that is kept under `name`.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// One of several objects, told apart by the value of their field `tag`. Each value comes with the name of its schema.
pub(super) fn tagged(tag: &str, variants: &[(&str, &str)]) -> Value {
    let schemas: Vec<Value> = variants.iter().map(|(_, name)| reference(name)).collect();
    let target = |name: &str| json!(format!("#/components/schemas/{name}"));
    let mapping: Map<String, Value> =
        variants.iter().map(|(value, name)| ((*value).to_owned(), target(name))).collect();
    json!({"type": "object", "oneOf": schemas, "discriminator": {"propertyName": tag, "mapping": mapping}})
}

/// Union of closed objects. Each has its own required field, which identifies it.
pub(super) fn one_of(names: &[&str]) -> Value {
    json!({"oneOf": names.iter().map(|name| reference(name)).collect::<Vec<_>>()})
}

/// That, or `null`.
pub(super) fn nullable(schema: Value) -> Value {
    json!({"oneOf": [schema, {"type": "null"}]})
}

/// The same schema, explained.
pub(super) fn saying(schema: Value, description: &str) -> Value {
    with(schema, [("description", json!(description))])
}

/// The same schema with more said of it.
pub(super) fn with<const N: usize>(mut schema: Value, more: [(&str, Value); N]) -> Value {
    for (keyword, value) in more {
        schema[keyword] = value;
    }
    schema
}

pub(super) fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

pub(super) fn boolean() -> Value {
    json!({"type": "boolean"})
}

/// Text of `length` characters, of any kind.
pub(super) fn text(length: RangeInclusive<usize>) -> Value {
    json!({"type": "string", "minLength": length.start(), "maxLength": length.end()})
}

/// Text that matches `pattern`, which also says how long it is.
pub(super) fn matching(pattern: &str) -> Value {
    json!({"type": "string", "pattern": pattern})
}

/// One line of visible text, as requests send it.
pub(super) fn line(length: RangeInclusive<usize>) -> Value {
    // Controls, line ends, what turns the reading order around, and what XML cannot carry.
    const REFUSED: &str = r"\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF";

    let pattern = visible(REFUSED, *length.start() == 0);
    with(text(length), [("pattern", json!(pattern))])
}

/// Text that may run over lines.
pub(super) fn prose() -> Value {
    const REFUSED: &str = r"\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF";

    with(text(0..=Prose::MAX), [("pattern", json!(visible(REFUSED, true)))])
}

/// Text without `refused` of which something can be seen. Beyond the first 65,536 characters the reader alone knows what cannot:
/// dialects of patterns spell those in different ways.
fn visible(refused: &str, may_be_empty: bool) -> String {
    const SPACE: &str = r"\u0009-\u000D\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000";
    const INVISIBLE: &str = concat!(
        r"\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F",
        r"\u200B-\u200F\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8"
    );

    let text = format!("[^{refused}]*[^{refused}{SPACE}{INVISIBLE}][^{refused}]*");
    if may_be_empty { format!("^(?:{text})?$") } else { format!("^{text}$") }
}

/// A number that is a name.
pub(super) fn digits(length: RangeInclusive<usize>) -> Value {
    matching(&format!("^[0-9]{{{},{}}}$", length.start(), length.end()))
}

/// One of these spellings and no other.
pub(super) fn choice<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    let values: Vec<&str> = values.into_iter().collect();
    json!({"type": "string", "enum": values})
}

/// One spelling, of which there will be more: whoever reads it must bear with those.
pub(super) fn open_choice<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    let values: Vec<&str> = values.into_iter().collect();
    json!({"type": "string", "examples": values, "description": "More values may be added: tolerate unknown ones."})
}

/// The one spelling that there is.
pub(super) fn only(value: &str) -> Value {
    json!({"type": "string", "const": value})
}

/// A whole number. Written without fraction and exponent.
pub(super) fn integer(bounds: RangeInclusive<i64>) -> Value {
    json!({"type": "integer", "format": "int64", "minimum": bounds.start(), "maximum": bounds.end()})
}

/// A whole number of ours.
pub(super) fn number() -> Value {
    json!({"type": "integer", "format": "int64"})
}

/// How many there are of something.
pub(super) fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

pub(super) fn instant() -> Value {
    json!({"type": "string", "format": "date-time"})
}

pub(super) fn email(most: usize) -> Value {
    json!({"type": "string", "format": "email", "maxLength": most})
}

/// Where something can be read.
pub(super) fn page() -> Value {
    json!({"type": "string", "format": "uri"})
}

/// An identifier with this prefix.
pub(super) fn id(prefix: &str) -> Value {
    let alphabet: String = Symbols::ALPHABET.iter().map(|&symbol| char::from(symbol)).collect();
    matching(&format!("^{prefix}[{alphabet}]{{24,64}}$"))
}

pub(super) fn currency() -> Value {
    matching("^[A-Z]{3}$")
}

pub(super) fn checkout_mode() -> Value {
    choice(CheckoutMode::ALL.iter().map(|it| it.as_str()))
}

/// RFC 3339 with a zone, from 1970 on, without leap seconds.
pub(super) fn moment() -> Value {
    let pattern = "^(19[7-9]|[2-9][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9](\\.[0-9]+)?\
                   ([Zz]|[+-][0-9]{2}:[0-9]{2})$";
    json!({"type": "string", "format": "date-time", "pattern": pattern})
}
