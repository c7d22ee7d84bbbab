//! OpenAPI document: complete, consistent in itself, and equal to the printed page.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

use serde_json::{Value, json};

/// Returns the published document.
pub(crate) fn document() -> Value {
    serde_json::from_str(rest::openapi()).unwrap()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_printed_document_is_up_to_date() {
    assert_printed("docs/generated/openapi.json", &(serde_json::to_string_pretty(&document()).unwrap() + "\n"));
}

/// Checks that a generated file is up to date; with `UPDATE`, writes the file.
#[track_caller]
pub(crate) fn assert_printed(name: &str, content: &str) {
    let path = root().join(name);
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, content).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == content, "{name} is stale: run with UPDATE=1");
}

/// Visits every value in the document with the path.
fn walk<'a>(value: &'a Value, path: &str, visit: &mut impl FnMut(&str, &'a Value)) {
    visit(path, value);
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, it)| walk(it, &format!("{path}/{key}"), visit)),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, it)| walk(it, &format!("{path}/{at}"), visit)),
        _ => {}
    }
}

#[test]
fn references_resolve_and_every_component_is_used() {
    let document = document();
    let mut targets = BTreeSet::new();
    walk(&document, "", &mut |path, value| {
        let is_mapping = path.contains("/discriminator/mapping/");
        let target = if is_mapping { value.as_str() } else { value.get("$ref").and_then(Value::as_str) };
        if let Some(target) = target {
            let pointer = target.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{path} refers to {target}");
            targets.insert(pointer.to_owned());
        }
    });

    for group in ["parameters", "headers", "responses", "schemas", "examples"] {
        for name in document["components"][group].as_object().unwrap().keys() {
            assert!(targets.contains(&format!("/components/{group}/{name}")), "nothing refers to {group}/{name}");
        }
    }
}

/// Method, path and description of every operation.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let of_path = |(path, item): (&String, &'_ Value)| -> Vec<(String, String)> {
        item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())).collect()
    };
    let names: Vec<(String, String)> = paths.flat_map(of_path).collect();
    names.into_iter().map(|(method, path)| (method.clone(), path.clone(), &document["paths"][path][method])).collect()
}

#[test]
fn operations_have_unique_names_which_schemathesis_lists() {
    let document = document();
    let operations = operations(&document);
    let names: BTreeSet<&str> = operations.iter().filter_map(|(_, _, it)| it["operationId"].as_str()).collect();
    assert_eq!(names.len(), operations.len());

    assert_printed(
        "fixtures/schemathesis/operations.txt",
        &names.into_iter().map(|name| format!("{name}\n")).collect::<String>(),
    );
}

#[test]
fn operations_describe_their_parameters_and_responses() {
    let document = document();
    for (method, path, operation) in operations(&document) {
        let parameters: Vec<String> = parameters(&document, operation);
        let in_path: Vec<String> = path
            .split('/')
            .filter_map(|it| Some(format!("path {}", it.strip_prefix('{')?.strip_suffix('}')?)))
            .collect();

        assert!(in_path.iter().all(|it| parameters.contains(it)), "{method} {path}: {parameters:?}");
        let changes = method != "get" && operation["operationId"] != "previewRefund";
        assert_eq!(parameters.contains(&"header idempotency-key".to_owned()), changes, "{method} {path}");
        let has_body = ["patch", "post", "put"].contains(&method.as_str());
        assert_eq!(operation.get("requestBody").is_some(), has_body, "{method} {path}");
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolved(&document, response);
            let content = response["content"].as_object().unwrap().values().next().unwrap();
            let has_example =
                content.get("example").or(content.get("examples").and_then(|it| it.as_object()?.values().next()));

            assert!(response["description"].is_string() && content["schema"].is_object(), "{method} {path} {status}");
            assert!(has_example.is_some(), "{method} {path} {status} has no example");
            let is_named = !path.starts_with("/v1/") || response["headers"].get("Request-Id").is_some();
            assert!(is_named, "{method} {path} {status}");
        }
    }
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(target) => document.pointer(target.strip_prefix('#').unwrap()).unwrap(),
        None => value,
    }
}

/// Returns location and name of each parameter.
fn parameters(document: &Value, operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let spelled = |it: &Value| format!("{} {}", it["in"].as_str().unwrap(), it["name"].as_str().unwrap());
    parameters.map(|it| spelled(resolved(document, it))).collect()
}

/// Returns the error responses of every operation with their location.
fn error_responses(document: &Value) -> Vec<(String, &Value)> {
    let of_operation = |(method, path, operation): (String, String, &'_ Value)| -> Vec<(String, String, String)> {
        let statuses = operation["responses"].as_object().unwrap().keys();
        statuses.map(|status| (method.clone(), path.clone(), status.clone())).collect()
    };
    let responses = operations(document).into_iter().flat_map(of_operation).map(|(method, path, status)| {
        let response = resolved(document, &document["paths"][&path][&method]["responses"][&status]);
        (format!("{method} {path} {status}"), response)
    });
    responses.filter(|(_, it)| it["content"]["application/json"]["examples"].to_string().contains("/error-")).collect()
}

#[test]
fn every_published_code_is_an_example_of_some_operation_except_the_code_of_unknown_paths() {
    let document = document();
    let mut documented = BTreeSet::from(["endpoint_not_found".to_owned()]);
    for (_, response) in error_responses(&document) {
        documented.extend(response["content"]["application/json"]["examples"].as_object().unwrap().keys().cloned());
    }

    let table = fs::read_to_string(root().join("fixtures/error-codes.tsv")).unwrap();
    let published: BTreeSet<String> =
        table.lines().skip(1).map(|it| it.split('\t').nth(3).unwrap().to_owned()).collect();
    assert_eq!(documented, published);
}

/// The codes of a family are a closed enumeration. The codes of one operation are the names of the examples.
#[test]
fn error_responses_have_a_named_schema_and_an_example_of_each_code() {
    let document = document();
    let responses = error_responses(&document);
    assert!(responses.len() > 200, "{}", responses.len());

    for (location, response) in responses {
        let content = &response["content"]["application/json"];
        let error = &resolved(&document, &content["schema"])["properties"]["error"];
        let code = resolved(&document, &resolved(&document, error)["properties"]["code"]);
        for (name, example) in content["examples"].as_object().unwrap() {
            assert_eq!(resolved(&document, example)["value"]["error"]["code"], *name, "{location}");
            assert!(code["enum"].as_array().unwrap().contains(&json!(name)), "{location}: the schema lacks {name}");
        }
    }
}

/// Generators lose fields of combined schemas, and invent names for unnamed ones.
#[test]
fn schemas_are_not_combined_and_a_constant_is_no_boolean() {
    walk(&document(), "", &mut |path, value| {
        let is_example = path.contains("/components/examples/");
        assert!(is_example || (!path.ends_with("/allOf") && value.get("const") != Some(&json!(true))), "{path}");
        let is_union = path.starts_with("/components/schemas/") && path.ends_with("/oneOf");
        let names = || value.as_array().unwrap().iter();
        let is_named = is_union && names().all(|it| it.get("$ref").is_some());
        assert!(!is_union || is_named || names().any(|it| *it == json!({"type": "null"})), "{path} has no names");
    });
}

#[test]
fn requests_are_closed_at_every_depth() {
    let document = document();
    for (method, path, operation) in operations(&document) {
        if let Some(body) = operation.get("requestBody") {
            assert_closed(&document, &body["content"]["application/json"]["schema"], &format!("{method} {path}"));
        }
    }
}

fn assert_closed(document: &Value, schema: &Value, what: &str) {
    walk(schema, "", &mut |at, value| {
        let is_object = value.get("type").is_some_and(|it| it == "object");
        let is_union = value.get("oneOf").is_some();
        assert!(!is_object || is_union || value.get("additionalProperties").is_some(), "{what}: {at} is open");
        let target = resolved(document, value);
        if !std::ptr::eq(target, value) {
            assert_closed(document, target, what);
        }
    });
}
