//! What a schema demands of a value, in words.

use serde_json::Value;

use crate::document::{elements, schema_name, text};

/// What a value may be.
pub(crate) struct Kind<'a> {
    /// "list of strings", with links to schemas between the words.
    pub(crate) words: Vec<Word<'a>>,
    /// The spellings that there are.
    pub(crate) values: Vec<&'a str>,
    /// Bounds, as in "at most 80 characters".
    pub(crate) bounds: Vec<String>,
    /// The expression that a text must match.
    pub(crate) pattern: Option<&'a str>,
    /// The object whose fields are described right here, and what its path gets.
    pub(crate) inline: Option<(&'a Value, &'static str)>,
}

/// A word, or the name of a schema.
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) is_schema: bool,
}

impl<'a> Kind<'a> {
    pub(crate) fn of(schema: &'a Value) -> Self {
        let mut kind = Self { words: Vec::new(), values: Vec::new(), bounds: Vec::new(), pattern: None, inline: None };
        kind.read(schema);
        kind
    }

    fn read(&mut self, schema: &'a Value) {
        if let Some(name) = schema_name(schema) {
            self.words.push(Word { text: name, is_schema: true });
            return;
        }
        match text(&schema["type"]) {
            _ if !choices(schema).is_empty() => self.read_choices(choices(schema)),
            "array" => {
                self.say("list of");
                self.bounds.extend(counted(schema, "minItems", "maxItems", "elements"));
                if schema["uniqueItems"] == true {
                    self.bounds.push("none twice".to_owned());
                }
                self.read(&schema["items"]);
                if let Some((_, path)) = &mut self.inline {
                    *path = "[]";
                }
            }
            "object" => self.read_object(schema),
            "" => self.say("anything"),
            simple => self.read_simple(simple, schema),
        }
    }

    fn read_choices(&mut self, choices: &'a [Value]) {
        for (index, choice) in choices.iter().enumerate() {
            if index > 0 {
                self.say("or");
            }
            self.read(choice);
        }
    }

    fn read_object(&mut self, schema: &'a Value) {
        let of_values = &schema["additionalProperties"];
        if schema["properties"].is_object() {
            self.say("object");
            self.inline = Some((schema, ""));
        } else if of_values.is_object() {
            self.say("object of names and");
            self.bounds.extend(counted(schema, "minProperties", "maxProperties", "entries"));
            self.bounds.extend(counted(&schema["propertyNames"], "minLength", "maxLength", "characters in a name"));
            self.read(of_values);
        } else {
            self.say("object");
        }
    }

    fn read_simple(&mut self, simple: &'a str, schema: &'a Value) {
        self.say(match (simple, text(&schema["format"])) {
            ("integer", _) => "whole number",
            ("boolean", _) => "true or false",
            ("string", "date-time") => "moment (RFC 3339)",
            ("string", "email") => "e-mail address",
            ("string", "uri") => "address (URI)",
            ("string", _) => "text",
            _ => simple,
        });
        let values = [std::slice::from_ref(&schema["const"]), elements(&schema["enum"]), elements(&schema["examples"])];
        self.values.extend(values.into_iter().flatten().filter_map(Value::as_str));
        self.bounds.extend(counted(schema, "minLength", "maxLength", "characters"));
        self.bounds.extend(numbers(schema));
        if !schema["default"].is_null() {
            self.bounds.push(format!("{} if left out", schema["default"]));
        }
        // The form of a moment is in its standard; what the pattern adds is in the document.
        self.pattern = schema["pattern"].as_str().filter(|_| schema["format"] != "date-time").or(self.pattern);
    }

    fn say(&mut self, text: &'a str) {
        self.words.push(Word { text, is_schema: false });
    }
}

/// The schemas of which a value has to meet one.
pub(crate) fn choices(schema: &Value) -> &[Value] {
    let one = elements(&schema["oneOf"]);
    if one.is_empty() { elements(&schema["anyOf"]) } else { one }
}

/// "1 to 80 characters".
fn counted(schema: &Value, least: &str, most: &str, of: &str) -> Option<String> {
    match (schema[least].as_u64().filter(|&it| it > 0), schema[most].as_u64()) {
        (Some(least), Some(most)) => Some(format!("{least} to {most} {of}")),
        (Some(1), None) => Some("not empty".to_owned()),
        (Some(least), None) => Some(format!("at least {least} {of}")),
        (None, Some(most)) => Some(format!("at most {most} {of}")),
        (None, None) => None,
    }
}

/// "1 to 12". The ends of 64 bits are no bounds that anybody needs to hear of.
fn numbers(schema: &Value) -> Option<String> {
    let bound = |name: &str| schema[name].as_i64().filter(|it| ![i64::MIN, i64::MAX].contains(it));
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    }
}
