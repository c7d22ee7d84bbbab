//! The published document, held against itself and against everything that is served.

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

/// Judges by the schema of that name, formats included.
pub(crate) fn validator(name: &str) -> Validator {
    validator_of(document(), name)
}

fn validator_of(mut document: Value, name: &str) -> Validator {
    let reference = format!("#/components/schemas/{name}");
    let schema = json!({"$ref": reference, "components": {"schemas": document["components"]["schemas"].take()}});
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
    options.with_email_options(EmailOptions::default().with_required_tld()).build(&schema).unwrap()
}

/// Checks that `answer` is described: it has everything that the schema requires, and nothing that it does not know.
#[track_caller]
pub(crate) fn assert_described(name: &str, answer: &Value) {
    let errors: Vec<String> = closed_validator(name)
        .iter_errors(answer)
        .map(|error| format!("{}: {error:.300}", error.instance_path()))
        .collect();

    assert!(errors.is_empty(), "{name} does not describe {answer:#}: {errors:#?}");
}

/// Judges by the schema of that name as if it were closed.
fn closed_validator(name: &str) -> Arc<Validator> {
    // Compiled once: many tests ask for the same few.
    static COMPILED: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());

    let compile = || {
        let mut document = document();
        close(&mut document["components"]["schemas"]);
        Arc::new(validator_of(document, name))
    };
    COMPILED.lock().unwrap().entry(name.to_owned()).or_insert_with(compile).clone()
}

/// Answers may grow, so their schemas are open. Here what is not described is a fault.
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

/// Every exchange that is kept as a file, by name.
fn kept() -> BTreeMap<String, Value> {
    let files = fs::read_dir(root().join("fixtures/json")).unwrap().map(|file| file.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    };
    files.map(read).collect()
}

/// The schema of the file `name`.
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
    found.unwrap_or_else(|| panic!("nothing says what fixtures/json/{name}.json is")).1.to_owned()
}

fn pascal_case(snake: &str) -> String {
    let capitalised = |word: &str| word[..1].to_uppercase() + &word[1..];
    snake.split('_').map(capitalised).collect()
}

#[test]
fn everything_that_is_kept_is_described() {
    let kept = kept();
    assert!(kept.len() > 40);

    for (name, exchange) in kept {
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
