//! JSON Schema (2020-12) of the values in requests and responses.

use std::ops::RangeInclusive;

use domain::{Split, Symbols, text::Prose};
use serde_json::{Map, Value, json};

/// Pattern of a quantity: a decimal number above zero.
pub(crate) const QUANTITY: &str = r"^(?=.*[1-9])[0-9]{1,16}(\.[0-9]{1,2})?$";
/// Pattern of an RNC.
pub(crate) const RNC: &str = "^[0-9]{9}$";
/// Pattern of an ISO 3166-1 alpha-2 code.
pub(crate) const COUNTRY: &str = "^[A-Z]{2}$";

/// Maximum number of parts of a split, and maximum ordinal of a part.
pub(crate) const MAX_PARTS: usize = *Split::PART_COUNTS.end();

/// Property of an object.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// Whether the property is always present.
    pub(crate) is_required: bool,
    pub(crate) schema: Value,
}

/// Object without further properties: a request refuses unknown fields.
pub(crate) fn closed(fields: impl IntoIterator<Item = Field>) -> Value {
    let mut names = Vec::new();
    let mut properties = Map::new();
    for Field { name, is_required, schema } in fields {
        if is_required {
            names.push(name);
        }
        properties.insert(name.to_owned(), schema);
    }
    let mut object = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !names.is_empty() {
        object["required"] = json!(names);
    }
    object
}

/// Reference to a named schema.
pub(crate) fn reference(name: &str) -> Value {
    json!({"$ref": schema_path(name)})
}

fn schema_path(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// Union of objects that the value of the property `tag` tells apart. Each value comes with the name of a schema.
pub(crate) fn tagged(tag: &str, variants: &[(impl AsRef<str>, impl AsRef<str>)]) -> Value {
    let schemas: Vec<Value> = variants.iter().map(|(_, name)| reference(name.as_ref())).collect();
    let target = |(value, name): &(_, _)| {
        (AsRef::<str>::as_ref(value).to_owned(), json!(schema_path(AsRef::<str>::as_ref(name))))
    };
    let mapping: Map<String, Value> = variants.iter().map(target).collect();
    json!({"type": "object", "oneOf": schemas, "discriminator": {"propertyName": tag, "mapping": mapping}})
}

/// Union of closed objects. A required field identifies each object.
pub(crate) fn one_of(names: &[impl AsRef<str>]) -> Value {
    json!({"oneOf": names.iter().map(|name| reference(name.as_ref())).collect::<Vec<_>>()})
}

/// The schema with a description, unless the description is empty.
pub(crate) fn with_description(schema: Value, description: &str) -> Value {
    let description = Some(("description", json!(description))).filter(|_| !description.is_empty());
    with(schema, description)
}

/// The schema with further keywords.
pub(crate) fn with(mut schema: Value, keywords: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    for (keyword, value) in keywords {
        schema[keyword] = value;
    }
    schema
}

/// Keywords of a minimum and a maximum. Zero and `usize::MAX` bound nothing.
pub(crate) fn bounds(
    least: &'static str,
    most: &'static str,
    size: &RangeInclusive<usize>,
) -> impl Iterator<Item = (&'static str, Value)> {
    let (start, end) = (*size.start(), *size.end());
    let least = Some((least, json!(start))).filter(|_| start > 0);
    least.into_iter().chain(Some((most, json!(end))).filter(|_| end < usize::MAX))
}

pub(crate) fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

pub(crate) fn boolean() -> Value {
    json!({"type": "boolean"})
}

/// Text of `length` characters, of any kind.
pub(crate) fn text(length: RangeInclusive<usize>) -> Value {
    json!({"type": "string", "minLength": length.start(), "maxLength": length.end()})
}

/// Text that matches `pattern`, which also bounds the length.
pub(crate) fn matching(pattern: &str) -> Value {
    json!({"type": "string", "pattern": pattern})
}

/// One line of visible text in a request.
pub(crate) fn line(length: RangeInclusive<usize>) -> Value {
    // Controls, line ends, marks that change the direction of text, and characters that XML does not allow.
    const REFUSED: &str = r"\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF";

    let pattern = visible(REFUSED, *length.start() == 0);
    with(text(length), [("pattern", json!(pattern))])
}

/// Text of several lines.
pub(crate) fn prose() -> Value {
    const REFUSED: &str = r"\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF";

    with(text(0..=Prose::MAX), [("pattern", json!(visible(REFUSED, true)))])
}

/// Pattern of text without `refused` characters and with at least one visible character. Dialects of patterns spell
/// characters beyond the first 65,536 differently, so only the reader refuses invisible ones among them.
fn visible(refused: &str, may_be_empty: bool) -> String {
    const SPACE: &str = r"\u0009-\u000D\u0020\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000";
    const INVISIBLE: &str = concat!(
        r"\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F",
        r"\u200B-\u200F\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8"
    );

    let text = format!("[^{refused}]*[^{refused}{SPACE}{INVISIBLE}][^{refused}]*");
    if may_be_empty { format!("^(?:{text})?$") } else { format!("^{text}$") }
}

/// Text of digits.
pub(crate) fn digits(length: RangeInclusive<usize>) -> Value {
    matching(&format!("^[0-9]{{{},{}}}$", length.start(), length.end()))
}

/// One of these values.
pub(crate) fn choice<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    let values: Vec<&str> = values.into_iter().collect();
    json!({"type": "string", "enum": values})
}

/// One of these values, or one that is added later. Clients must tolerate unknown values.
pub(crate) fn open_choice<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    let values: Vec<&str> = values.into_iter().collect();
    json!({"type": "string", "examples": values, "description": "More values may be added: tolerate unknown ones."})
}

/// Constant.
pub(crate) fn only(value: &str) -> Value {
    json!({"type": "string", "const": value})
}

/// Integer, without fraction and exponent.
pub(crate) fn integer(bounds: RangeInclusive<i64>) -> Value {
    json!({"type": "integer", "format": "int64", "minimum": bounds.start(), "maximum": bounds.end()})
}

pub(crate) fn instant() -> Value {
    json!({"type": "string", "format": "date-time"})
}

pub(crate) fn email(most: usize) -> Value {
    json!({"type": "string", "format": "email", "maxLength": most})
}

/// URL.
pub(crate) fn url() -> Value {
    json!({"type": "string", "format": "uri"})
}

/// Identifier with this prefix.
pub(crate) fn id(prefix: &str) -> Value {
    let alphabet: String = Symbols::ALPHABET.iter().map(|&symbol| char::from(symbol)).collect();
    matching(&format!("^{prefix}[{alphabet}]{{24,64}}$"))
}

pub(crate) fn currency() -> Value {
    matching("^[A-Z]{3}$")
}

/// Moment in RFC 3339 with a zone, from 1970 on, without leap seconds.
pub(crate) fn moment() -> Value {
    let pattern = "^(19[7-9]|[2-9][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9](\\.[0-9]+)?\
                   ([Zz]|[+-][0-9]{2}:[0-9]{2})$";
    json!({"type": "string", "format": "date-time", "pattern": pattern})
}

/// Returns a name in Pascal case, such as `OpenSplit` of `open_split`.
pub(crate) fn pascal_case(snake: &str) -> String {
    let capitalized = |word: &str| word[..1].to_uppercase() + &word[1..];
    snake.split('_').map(capitalized).collect()
}
