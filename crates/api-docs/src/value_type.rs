//! Descriptions of value types.

use serde_json::Value;

use crate::document::{items, schema_name, text};

/// Type of a value.
pub(crate) struct ValueType<'a> {
    /// Words such as "list of strings", and names of schemas.
    pub(crate) words: Vec<Word<'a>>,
    /// Possible values of a string.
    pub(crate) values: Vec<&'a str>,
    /// Bounds, such as "at most 80 characters".
    pub(crate) bounds: Vec<String>,
    /// Regular expression of a string.
    pub(crate) pattern: Option<&'a str>,
    /// Object whose fields follow in the same list, and the suffix of their path.
    pub(crate) inline: Option<(&'a Value, &'static str)>,
}

/// Word, or name of a schema.
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) is_schema: bool,
}

impl<'a> ValueType<'a> {
    pub(crate) fn of(schema: &'a Value) -> Self {
        let mut value_type =
            Self { words: Vec::new(), values: Vec::new(), bounds: Vec::new(), pattern: None, inline: None };
        value_type.read(schema);
        value_type
    }

    fn read(&mut self, schema: &'a Value) {
        if let Some(name) = schema_name(schema) {
            self.words.push(Word { text: name, is_schema: true });
            return;
        }
        match text(&schema["type"]) {
            _ if !alternatives(schema).is_empty() => self.read_alternatives(alternatives(schema)),
            "array" => {
                self.add_word("list of");
                self.bounds.extend(size(schema, "minItems", "maxItems", "elements"));
                if schema["uniqueItems"] == true {
                    self.bounds.push("no duplicates".to_owned());
                }
                self.read(&schema["items"]);
                if let Some((_, path)) = &mut self.inline {
                    *path = "[]";
                }
            }
            "object" => self.read_object(schema),
            "" => self.add_word("any value"),
            scalar => self.read_scalar(scalar, schema),
        }
    }

    fn read_alternatives(&mut self, alternatives: &'a [Value]) {
        for (index, alternative) in alternatives.iter().enumerate() {
            if index > 0 {
                self.add_word("or");
            }
            self.read(alternative);
        }
    }

    fn read_object(&mut self, schema: &'a Value) {
        let of_values = &schema["additionalProperties"];
        if schema["properties"].is_object() {
            self.add_word("object");
            self.inline = Some((schema, ""));
        } else if of_values.is_object() {
            self.add_word("map of keys to");
            self.bounds.extend(size(schema, "minProperties", "maxProperties", "entries"));
            self.bounds.extend(size(&schema["propertyNames"], "minLength", "maxLength", "characters in a key"));
            self.read(of_values);
        } else {
            self.add_word("object");
        }
    }

    fn read_scalar(&mut self, scalar: &'a str, schema: &'a Value) {
        self.add_word(match (scalar, text(&schema["format"])) {
            ("integer", _) => "integer",
            ("boolean", _) => "boolean",
            ("string", "date-time") => "date and time (RFC 3339)",
            ("string", "date") => "date (RFC 3339)",
            ("string", "email") => "e-mail address",
            ("string", "uri") => "URL",
            ("string", _) => "string",
            _ => scalar,
        });
        let values = [std::slice::from_ref(&schema["const"]), items(&schema["enum"]), items(&schema["examples"])];
        self.values.extend(values.into_iter().flatten().filter_map(Value::as_str));
        self.bounds.extend(size(schema, "minLength", "maxLength", "characters"));
        self.bounds.extend(range(schema));
        if !schema["default"].is_null() {
            self.bounds.push(format!("default: {}", schema["default"]));
        }
        // The pattern of a moment only repeats RFC 3339.
        self.pattern = schema["pattern"].as_str().filter(|_| schema["format"] != "date-time").or(self.pattern);
    }

    fn add_word(&mut self, text: &'a str) {
        self.words.push(Word { text, is_schema: false });
    }
}

/// Returns the alternatives of a union.
pub(crate) fn alternatives(schema: &Value) -> &[Value] {
    let one_of = items(&schema["oneOf"]);
    if one_of.is_empty() { items(&schema["anyOf"]) } else { one_of }
}

/// Returns the bounds of a size, such as "1 to 80 characters".
fn size(schema: &Value, least: &str, most: &str, unit: &str) -> Option<String> {
    match (schema[least].as_u64().filter(|&least| least > 0), schema[most].as_u64()) {
        (Some(least), Some(most)) => Some(format!("{least} to {most} {unit}")),
        (Some(1), None) => Some("not empty".to_owned()),
        (Some(least), None) => Some(format!("at least {least} {unit}")),
        (None, Some(most)) => Some(format!("at most {most} {unit}")),
        (None, None) => None,
    }
}

/// Returns the bounds of an integer, such as "1 to 12". Omits the limits of 64 bits.
fn range(schema: &Value) -> Option<String> {
    let bound = |name: &str| schema[name].as_i64().filter(|bound| ![i64::MIN, i64::MAX].contains(bound));
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    }
}
