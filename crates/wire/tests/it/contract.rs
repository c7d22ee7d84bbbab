//! Tests of the OpenAPI document against itself and against responses.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use jsonschema::{Draft, EmailOptions, Validator};
use serde_json::{Value, json};

/// Returns the document.
pub(crate) fn document() -> Value {
    serde_json::from_str(wire::openapi()).unwrap()
}

/// Returns a validator of a schema, with formats.
pub(crate) fn validator(name: &str) -> Validator {
    validator_of(document(), name)
}

fn validator_of(mut document: Value, name: &str) -> Validator {
    let reference = format!("#/components/schemas/{name}");
    let schema = json!({"$ref": reference, "components": {"schemas": document["components"]["schemas"].take()}});
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
    options.with_email_options(EmailOptions::default().with_required_tld()).build(&schema).unwrap()
}

/// Asserts that a response has all required fields and no undescribed ones.
#[track_caller]
pub(crate) fn assert_described(name: &str, answer: &Value) {
    let errors: Vec<String> = closed_validator(name)
        .iter_errors(answer)
        .map(|error| format!("{}: {error:.300}", error.instance_path()))
        .collect();

    assert!(errors.is_empty(), "{answer:#} does not match {name}: {errors:#?}");
}

/// Returns a validator that refuses undescribed fields.
fn closed_validator(name: &str) -> Arc<Validator> {
    // Compiled once, because many tests use the same schemas.
    static COMPILED: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());

    let compile = || {
        let mut document = document();
        close(&mut document["components"]["schemas"]);
        Arc::new(validator_of(document, name))
    };
    COMPILED.lock().unwrap().entry(name.to_owned()).or_insert_with(compile).clone()
}

/// Schemas of responses are open. These tests refuse undescribed fields.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.contains_key("properties") && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns every file of `fixtures/json`, by name.
fn files() -> BTreeMap<String, Value> {
    let files = fs::read_dir(root().join("fixtures/json")).unwrap().map(|file| file.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    };
    files.map(read).collect()
}

/// Returns the schema of the file `name`.
fn schema_of(name: &str) -> String {
    let by_prefix = [
        ("event-list", "EventList"),
        ("payment-list", "PaymentList"),
        ("checkout-payment", "CheckoutPayment"),
        ("checkout-token", "CheckoutToken"),
        ("error", "InvalidRequestErrorResponse"),
        ("event-", "Event"),
        ("fiscal-revision-list", "FiscalDocumentList"),
        ("fiscal-document-", "FiscalDocument"),
        ("merchant-account-", "MerchantAccount"),
        ("merchant-profile", "MerchantProfile"),
        ("payment-", "Payment"),
        ("payment_part-", "PaymentPart"),
        ("payment_split-", "PaymentSplit"),
        ("receipt-document", "ReceiptDocument"),
        ("requested-delivery", "RequestedDelivery"),
        ("webhook-deleted", "DeletedEndpoint"),
        ("webhook-delivery-list", "WebhookDeliveryList"),
        ("webhook-endpoint", "WebhookEndpoint"),
        ("webhook-list", "WebhookEndpointList"),
        ("webhook-replay-", "WebhookReplay"),
    ];
    if let Some(request) = name.strip_prefix("request-") {
        return pascal_case(request.split('-').next().unwrap());
    }
    let found = by_prefix.iter().find(|(prefix, _)| name.starts_with(prefix));
    found.unwrap_or_else(|| panic!("fixtures/json/{name}.json has no schema")).1.to_owned()
}

fn pascal_case(snake: &str) -> String {
    let capitalised = |word: &str| word[..1].to_uppercase() + &word[1..];
    snake.split('_').map(capitalised).collect()
}

#[test]
fn every_response_file_matches_its_schema() {
    let files = files();
    assert!(files.len() > 40);

    for (name, exchange) in files {
        let schema = schema_of(&name);
        assert_described(&schema, &exchange);
        // An operation for both merchant keys and checkout tokens has one schema for both.
        match schema.as_str() {
            "Payment" | "CheckoutPayment" => assert_described("PaymentView", &exchange),
            "FiscalDocument" | "ReceiptDocument" => assert_described("FiscalDocumentView", &exchange),
            _ => {}
        }
    }
}

#[test]
fn the_document_matches_the_committed_file() {
    let path = root().join("docs/generated/openapi.json");
    let page = serde_json::to_string_pretty(&document()).unwrap() + "\n";
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }

    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "docs/generated/openapi.json is stale: run with UPDATE=1");
}

/// Visits every value in the document, with the path.
fn walk<'a>(value: &'a Value, path: &str, visit: &mut impl FnMut(&str, &'a Value)) {
    visit(path, value);
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, it)| walk(it, &format!("{path}/{key}"), visit)),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, it)| walk(it, &format!("{path}/{at}"), visit)),
        _ => {}
    }
}

#[test]
fn references_resolve_and_components_are_used() {
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
            assert!(targets.contains(&format!("/components/{group}/{name}")), "{group}/{name} is not used");
        }
    }
}

/// Returns method, path and description of every operation.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let of_path = |(path, item): (&String, &'_ Value)| -> Vec<(String, String)> {
        item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())).collect()
    };
    let names: Vec<(String, String)> = paths.flat_map(of_path).collect();
    names.into_iter().map(|(method, path)| (method.clone(), path.clone(), &document["paths"][path][method])).collect()
}

#[test]
fn every_operation_has_a_unique_name() {
    let document = document();
    let operations = operations(&document);
    let listed: Vec<String> = operations.iter().map(|(method, path, _)| format!("{method} {path}")).collect();

    assert_eq!(
        listed,
        [
            "get /healthz",
            "get /readyz",
            "post /v1/checkout_tokens",
            "get /v1/events",
            "get /v1/events/{eventId}",
            "get /v1/fiscal_documents/{fiscalDocumentId}",
            "get /v1/fiscal_documents/{fiscalDocumentId}/contingency-representation",
            "post /v1/fiscal_documents/{fiscalDocumentId}/corrections",
            "post /v1/fiscal_documents/{fiscalDocumentId}/deliveries",
            "get /v1/fiscal_documents/{fiscalDocumentId}/printed-representation",
            "get /v1/fiscal_documents/{fiscalDocumentId}/revisions",
            "get /v1/fiscal_documents/{fiscalDocumentId}/signed-document",
            "post /v1/merchant_accounts",
            "get /v1/merchant_accounts/{merchantAccountId}",
            "put /v1/merchant_accounts/{merchantAccountId}/credentials",
            "get /v1/merchant_profile",
            "put /v1/merchant_profile",
            "get /v1/payments",
            "post /v1/payments",
            "get /v1/payments/{paymentId}",
            "post /v1/payments/{paymentId}/cancellations",
            "post /v1/payments/{paymentId}/card-submissions",
            "put /v1/payments/{paymentId}/fiscal-document-choice",
            "delete /v1/payments/{paymentId}/split",
            "get /v1/payments/{paymentId}/split",
            "post /v1/payments/{paymentId}/split",
            "put /v1/payments/{paymentId}/split",
            "post /v1/payments/{paymentId}/split/captures",
            "get /v1/payments/{paymentId}/split/parts/{ordinal}",
            "post /v1/payments/{paymentId}/split/releases",
            "post /v1/payments/{paymentId}/split/renewals",
            "put /v1/payments/{paymentId}/voluntary-tip",
            "get /v1/webhook_endpoints",
            "post /v1/webhook_endpoints",
            "delete /v1/webhook_endpoints/{webhookEndpointId}",
            "get /v1/webhook_endpoints/{webhookEndpointId}",
            "patch /v1/webhook_endpoints/{webhookEndpointId}",
            "get /v1/webhook_endpoints/{webhookEndpointId}/deliveries",
            "post /v1/webhook_endpoints/{webhookEndpointId}/replays",
            "post /v1/webhook_endpoints/{webhookEndpointId}/secret-rotations",
            "post /v1/webhook_endpoints/{webhookEndpointId}/tests",
        ]
    );
    let names: BTreeSet<&str> = operations.iter().filter_map(|(_, _, it)| it["operationId"].as_str()).collect();
    assert_eq!(names.len(), listed.len());
}

#[test]
fn every_operation_describes_parameters_body_and_responses() {
    let document = document();
    for (method, path, operation) in operations(&document) {
        let parameters: Vec<String> = parameters(&document, operation);
        let in_path: Vec<String> = path
            .split('/')
            .filter_map(|it| Some(format!("path {}", it.strip_prefix('{')?.strip_suffix('}')?)))
            .collect();

        assert!(in_path.iter().all(|it| parameters.contains(it)), "{method} {path}: {parameters:?}");
        assert_eq!(parameters.contains(&"header idempotency-key".to_owned()), method != "get", "{method} {path}");
        let has_body = ["patch", "post", "put"].contains(&method.as_str());
        assert_eq!(operation.get("requestBody").is_some(), has_body, "{method} {path}");
        for (status, answer) in operation["responses"].as_object().unwrap() {
            let answer = resolved(&document, answer);
            let content = answer["content"].as_object().unwrap().values().next().unwrap();
            let has_example =
                content.get("example").or(content.get("examples").and_then(|it| it.as_object()?.values().next()));

            assert!(answer["description"].is_string() && content["schema"].is_object(), "{method} {path} {status}");
            assert!(has_example.is_some(), "{method} {path} {status} has no example");
            let is_named = !path.starts_with("/v1/") || answer["headers"].get("Request-Id").is_some();
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

/// Returns the error responses of every operation, with their location.
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
fn every_published_code_is_an_example_of_an_operation() {
    let document = document();
    let mut answered = BTreeSet::from(["endpoint_not_found".to_owned()]);
    for (_, response) in error_responses(&document) {
        answered.extend(response["content"]["application/json"]["examples"].as_object().unwrap().keys().cloned());
    }

    let table = fs::read_to_string(root().join("fixtures/error-codes.tsv")).unwrap();
    let published: BTreeSet<String> =
        table.lines().skip(1).map(|it| it.split('\t').nth(3).unwrap().to_owned()).collect();
    assert_eq!(answered, published);
}

/// The codes of a family are a closed enumeration. The codes of one operation are the names of the examples.
#[test]
fn error_responses_have_a_named_schema_and_an_example_of_each_code() {
    let document = document();
    let responses = error_responses(&document);
    assert!(responses.len() > 200, "{}", responses.len());
    let mut validators = BTreeMap::new();

    for (place, response) in responses {
        let content = &response["content"]["application/json"];
        let schema = content["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let validator = validators.entry(schema).or_insert_with(|| validator(schema));
        for (code, example) in content["examples"].as_object().unwrap() {
            let mut example = resolved(&document, example)["value"].clone();
            assert_eq!(example["error"]["code"], *code, "{place}");
            assert!(validator.is_valid(&example), "{place}: {schema} does not describe {code}");

            example["error"]["code"] = json!("another_code");
            assert!(!validator.is_valid(&example), "{place}: {schema} is not closed");
        }
    }
}

/// Generators of clients lose fields of combined schemas, and invent names for unnamed ones.
#[test]
fn schemas_have_no_all_of_and_no_boolean_constant() {
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
