//! Compatibility of the document. Each line of `fixtures/interface-promises.txt` is a published fact: an operation, a
//! field that may be sent or omitted, an accepted value, a field or status of a response. `UPDATE=1` adds new lines;
//! only a person removes lines.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

use serde_json::Value;

use crate::openapi::document;

#[test]
fn published_operations_fields_and_values_remain() {
    let committed: BTreeSet<String> =
        fs::read_to_string(page()).unwrap_or_default().lines().map(str::to_owned).collect();
    let current = promises(&document());

    if env::var_os("UPDATE").is_some() {
        let all: Vec<&str> = committed.union(&current).map(String::as_str).collect();
        fs::write(page(), all.join("\n") + "\n").unwrap();
    }
    let broken: Vec<&String> = committed.difference(&current).collect();

    assert!(committed.len() > 1000, "the list of promises is incomplete");
    assert!(broken.is_empty(), "clients that rely on this break: {broken:#?}");
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/interface-promises.txt")
}

fn promises(document: &Value) -> BTreeSet<String> {
    let mut list = List { document, lines: BTreeSet::new() };
    for (path, methods) in fields(&document["paths"]) {
        for (method, operation) in fields(methods) {
            list.operation(&format!("{} {path}", method.to_uppercase()), operation);
        }
    }
    for (name, schema) in fields(&document["components"]["schemas"]) {
        // Closed schemas are those of requests, which belong to operations.
        if schema["additionalProperties"] != false {
            list.add_response_fields(name, schema);
        }
    }
    list.lines
}

struct List<'a> {
    document: &'a Value,
    lines: BTreeSet<String>,
}

impl<'a> List<'a> {
    fn operation(&mut self, name: &str, operation: &'a Value) {
        self.lines.insert(format!("{name} is {}", operation["operationId"].as_str().unwrap()));
        for (scheme, scopes) in operation["security"].as_array().unwrap().iter().flat_map(fields) {
            self.lines.insert(format!("{name} takes {scheme}{scopes}"));
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = self.resolved(parameter);
            let field = format!("{name} parameter {}", parameter["name"].as_str().unwrap());
            self.sent(&field, &parameter["schema"], parameter["required"] == true);
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        if body.is_object() {
            self.sent(&format!("{name} body"), body, true);
        }
        for (status, response) in fields(&operation["responses"]) {
            self.lines.insert(format!("{name} answers {status}"));
            if status.starts_with('2') {
                for (media, content) in fields(&self.resolved(response)["content"]) {
                    self.add_response_fields(&format!("{name} {status} {media}"), &content["schema"]);
                }
            }
        }
    }

    /// Adds lines about a request: the field, whether the field may be omitted, each value.
    fn sent(&mut self, field: &str, schema: &'a Value, is_required: bool) {
        let schema = self.resolved(schema);
        self.lines.insert(format!("{field} is taken"));
        if !is_required {
            self.lines.insert(format!("{field} may be left out"));
        }
        for value in schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")) {
            self.lines.insert(format!("{field} = {value}"));
        }
        for (name, inner) in fields(&schema["properties"]) {
            let is_required = requires(schema, name);
            self.sent(&format!("{field}.{name}"), inner, is_required);
        }
        for (part, inner) in [("[]", &schema["items"]), (".*", &schema["additionalProperties"])] {
            if inner.is_object() {
                self.sent(&format!("{field}{part}"), inner, true);
            }
        }
        let variants = ["oneOf", "anyOf"].into_iter().flat_map(|of| schema[of].as_array().into_iter().flatten());
        let resolved: Vec<&Value> = variants.clone().map(|it| self.resolved(it)).collect();
        // A field that only some variants have is optional: another variant may be sent.
        for (name, _) in resolved.iter().flat_map(|it| fields(&it["properties"])) {
            if resolved.iter().any(|it| !requires(it, name)) {
                self.lines.insert(format!("{field}.{name} may be left out"));
            }
        }
        for inner in variants {
            if inner["type"] == "null" {
                self.lines.insert(format!("{field} = null"));
            } else if inner.get("type").is_some() || inner.get("$ref").is_some() {
                self.sent(field, inner, is_required);
            }
        }
    }

    /// Adds lines about a response. Each schema is walked once, under the name of the schema.
    fn add_response_fields(&mut self, field: &str, schema: &'a Value) {
        if let Some(name) = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
            self.lines.insert(format!("{field} may be {name}"));
        }
        for (name, inner) in fields(&schema["properties"]) {
            let field = format!("{field}.{name}");
            self.lines.insert(format!("{field} is answered"));
            if requires(schema, name) {
                self.lines.insert(format!("{field} is always there"));
            }
            self.add_response_fields(&field, inner);
        }
        if schema["items"].is_object() {
            self.add_response_fields(&format!("{field}[]"), &schema["items"]);
        }
        for inner in ["oneOf", "anyOf"].iter().flat_map(|of| schema[of].as_array().into_iter().flatten()) {
            self.add_response_fields(field, inner);
        }
    }

    fn resolved(&self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }
}

fn requires(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name))
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

#[test]
fn a_field_that_becomes_required_and_a_value_that_is_gone_break_a_promise() {
    let before = promises(&document());
    let lost = |change: fn(&mut Value)| {
        let mut changed = document();
        change(&mut changed["components"]["schemas"]["CreatePayment"]);
        before.difference(&promises(&changed)).cloned().collect::<Vec<String>>()
    };
    let body = "POST /v1/payments body";

    let required = lost(|schema| schema["required"].as_array_mut().unwrap().push("returnUrl".into()));
    let removed = lost(|schema| drop(schema["properties"].as_object_mut().unwrap().remove("serviceLabel")));
    let value = lost(|schema| {
        drop(schema["properties"]["checkoutDisplay"]["properties"]["mode"]["enum"].as_array_mut().unwrap().remove(0));
    });

    assert_eq!(required, [format!("{body}.returnUrl may be left out")]);
    assert_eq!(removed, [format!("{body}.serviceLabel is taken"), format!("{body}.serviceLabel may be left out")]);
    assert_eq!(value, [format!("{body}.checkoutDisplay.mode = \"itemized\"")]);
}
