//! Tests of the OpenAPI document against itself and against responses.

use std::{
    collections::BTreeMap,
    env, fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use jsonschema::{Draft, EmailOptions, Validator};
use serde_json::{Map, Value, json};

/// Returns the document without operations, which `rest` adds.
pub(crate) fn document() -> Value {
    wire::openapi::document(Map::new(), Value::Null)
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
        ("refund-list", "RefundList"),
        ("refund-preview-", "RefundPreview"),
        ("refund-", "Refund"),
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
