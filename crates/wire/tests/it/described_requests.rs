//! Schemas of requests against their readers: both accept and refuse the same bodies. The patterns and bounds of scalar
//! values are stated beside their parsers, so these tests compare them.

use std::{fs, path::PathBuf};

use domain::{Refusal, fiscal::check_lines};
use jsonschema::Validator;
use serde_json::{Value, json};
use wire::{
    Json, attribute_refund, cancel_payment, choose_fiscal_document, correct_credit_note, correct_fiscal_document,
    create_checkout_token, create_merchant_account, create_payment, create_refund, create_webhook_endpoint, empty_body,
    open_split, preview_refund, put_merchant_profile, release_split, replay_webhooks, request_delivery,
    rotate_webhook_secret, set_account_credentials, set_voluntary_tip, submit_card, update_webhook_endpoint,
};

use crate::contract::validator;

/// Parses a body. Lines are also checked together.
type Reader = fn(&Json) -> Result<(), Refusal>;

/// Schema, file of the example, and reader.
const REQUESTS: [(&str, &str, Reader); 34] = [
    ("AttributeRefund", "attribute_refund-amount", |it| attribute_refund::parse(it).map(discard)),
    ("AttributeRefund", "attribute_refund-lines", |it| attribute_refund::parse(it).map(discard)),
    ("CancelPayment", "cancel_payment", |it| cancel_payment::parse(it).map(discard)),
    ("CaptureSplit", "capture_split", |it| empty_body::parse(it).map(discard)),
    ("ChooseFiscalDocument", "choose_fiscal_document", |it| choose_fiscal_document::parse(it).map(discard)),
    ("CorrectCreditNote", "correct_credit_note", |it| correct_credit_note::parse(it).map(discard)),
    ("CorrectFiscalDocument", "correct_fiscal_document", |it| check_lines(&correct_fiscal_document::parse(it)?.lines)),
    ("CreateCheckoutToken", "create_checkout_token", |it| create_checkout_token::parse(it).map(discard)),
    ("CreateMerchantAccount", "create_merchant_account", |it| create_merchant_account::parse(it).map(discard)),
    ("CreatePayment", "create_payment", |it| check_lines(&create_payment::parse(it)?.document.lines)),
    ("CreateRefund", "create_refund-all", |it| create_refund::parse(it).map(discard)),
    ("CreateRefund", "create_refund-amount", |it| create_refund::parse(it).map(discard)),
    ("CreateRefund", "create_refund-lines", |it| create_refund::parse(it).map(discard)),
    ("CreateRefund", "create_refund-outside", |it| create_refund::parse(it).map(discard)),
    ("CreateRefund", "create_refund-parts", |it| create_refund::parse(it).map(discard)),
    ("CreateRefund", "create_refund-retry", |it| create_refund::parse(it).map(discard)),
    ("CreateRefund", "create_refund-tip", |it| create_refund::parse(it).map(discard)),
    ("CreateWebhookEndpoint", "create_webhook_endpoint", |it| create_webhook_endpoint::parse(it, false).map(discard)),
    ("OpenSplit", "open_split-amounts", |it| open_split::parse(it).map(discard)),
    ("OpenSplit", "open_split-equal", |it| open_split::parse(it).map(discard)),
    ("PreviewRefund", "preview_refund-amount", |it| preview_refund::parse(it).map(discard)),
    ("PreviewRefund", "preview_refund-lines", |it| preview_refund::parse(it).map(discard)),
    ("PutMerchantProfile", "put_merchant_profile", |it| put_merchant_profile::parse(it).map(discard)),
    ("ReleaseSplit", "release_split", |it| release_split::parse(it).map(discard)),
    ("RenewSplit", "renew_split", |it| empty_body::parse(it).map(discard)),
    ("ReplayWebhooks", "replay_webhooks-event", |it| replay_webhooks::parse(it).map(discard)),
    ("ReplayWebhooks", "replay_webhooks-period", |it| replay_webhooks::parse(it).map(discard)),
    ("RequestDelivery", "request_delivery", |it| request_delivery::parse(it).map(discard)),
    ("RotateWebhookSecret", "rotate_webhook_secret", |it| rotate_webhook_secret::parse(it).map(discard)),
    ("SetAccountCredentials", "set_account_credentials", |it| set_account_credentials::parse(it).map(discard)),
    ("SetVoluntaryTip", "set_voluntary_tip", |it| set_voluntary_tip::parse(it).map(discard)),
    ("SubmitCard", "submit_card", |it| submit_card::parse(it).map(discard)),
    ("TestWebhookEndpoint", "test_webhook_endpoint", |it| empty_body::parse(it).map(discard)),
    ("UpdateWebhookEndpoint", "update_webhook_endpoint", |it| update_webhook_endpoint::parse(it, false).map(discard)),
];

fn discard<T>(_: T) {}

fn example(file: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/json");
    serde_json::from_str(&fs::read_to_string(path.join(format!("request-{file}.json"))).unwrap()).unwrap()
}

fn is_accepted(body: &Value, read: Reader) -> bool {
    wire::json::read(body.to_string().as_bytes()).and_then(|tree| read(&tree)).is_ok()
}

/// Returns whether the schema and the reader accept `body`.
fn results(schema: &Validator, body: &Value, read: Reader) -> (bool, bool) {
    (schema.is_valid(body), is_accepted(body, read))
}

/// Returns the path of every value in `body`.
fn paths(body: &Value) -> Vec<String> {
    let inner = |key: String, value: &Value| {
        paths(value).into_iter().map(move |rest| format!("/{key}{rest}")).collect::<Vec<_>>()
    };
    let inside: Vec<String> = match body {
        Value::Object(fields) => fields.iter().flat_map(|(key, value)| inner(key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().flat_map(|(at, value)| inner(at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    [vec![String::new()], inside].concat()
}

/// Texts that are valid in some field, and texts that are almost valid.
const TEXTS: &[&str] = &[
    "a\0",
    "a\tb",
    "a\nb",
    "a\r\nb",
    "a\u{7f}",
    "a\u{85}",
    "a\u{a0}",
    "\u{a0}\u{3000}",
    "\u{2028}a",
    "a\u{202e}b",
    "a\u{2066}b",
    "a\u{feff}",
    "\u{feff}",
    "\u{fffe}",
    "\u{ffff}a",
    "\u{200b}",
    " a ",
    "DOP",
    "USD",
    "XXX",
    "dop",
    "DÓP",
    "DO",
    "D0",
    "Consumer",
    "consumer",
    "government",
    "deferred",
    "required",
    "domestic",
    "foreign",
    "itemized",
    "grouped",
    "exempt",
    "non_billable",
    "unit",
    "service",
    "pay",
    "receipt",
    "equal",
    "amounts",
    "requested_by_organizer",
    "organizer",
    "other",
    "es",
    "es-DO",
    "es_DO",
    "es-",
    "-es",
    "esp-DO",
    "espa-DO",
    "e1",
    "es-123456789",
    "1.5",
    "1.",
    ".5",
    "0.00",
    "0.01",
    "00.10",
    "1.255",
    "1e3",
    "-1",
    "+1",
    "1234567890123456.99",
    "12345678901234567",
    "0123456789",
    "LA ESQUINA",
    "CAFÉ",
    "A;B",
    "ana@ejemplo.do",
    "ana@ejemplo",
    "ana",
    "@x.do",
    "a@",
    "a..b@x.do",
    "a b@x.do",
    "Ana <ana@x.do>",
    "a@b@x.do",
    "http://a.example/",
    "https://a.example",
    "https://a.example:443/x?y=1",
    "https://a.example/#x",
    "https://user@a.example/",
    "https:/x",
    "ftp://a.example",
    "javascript:alert(1)",
    "//a.example",
    "https://a.example/a b",
    "https://a.example\\@b.example/",
    "https://",
    "not a url",
];

/// Numbers around the bounds.
const NUMBERS: &[i64] = &[
    i64::MIN,
    -1,
    0,
    1,
    12,
    13,
    255,
    256,
    899,
    900,
    999,
    1000,
    9999,
    10_000,
    604_800,
    604_801,
    100_000_000_000_000_000,
    100_000_000_000_000_001,
    i64::MAX,
];

/// Lengths around the bounds.
const LENGTHS: &[usize] = &[
    0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 16, 17, 19, 20, 21, 22, 23, 24, 25, 32, 33, 64, 65, 80, 81, 128, 129, 160, 161,
    256, 257, 500, 501, 8192, 8193,
];

/// Returns values of every type.
fn replacements() -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(1.5),
        json!(u64::MAX),
        json!([]),
        json!([null]),
        json!(["consumer", "consumer"]),
        json!(["payment.created", "*", "fiscal_document.*"]),
        json!(["payment.created", "payment.create"]),
        json!({}),
        json!({"x": "y"}),
        json!({"4": 1}),
        json!({"": "x"}),
        json!({"a\nb": "x"}),
        json!({"kind": "not_offered"}),
        json!({"mode": "grouped"}),
        json!({"amount": {"currency": "DOP", "minorUnits": -1}}),
        json!(vec![json!({"amount": {"currency": "XXX", "minorUnits": 1}}); 20]),
    ];
    values.extend(NUMBERS.iter().map(|it| json!(it)));
    values.extend(TEXTS.iter().map(|it| json!(it)));
    for symbol in ["x", "é", "7", "🍤", " "] {
        values.extend(LENGTHS.iter().map(|length| json!(symbol.repeat(*length))));
    }
    values
}

/// Fields whose readers check more than a schema can express: check digits and the parts of URLs.
fn is_beyond_schemas(schema: &str, place: &str) -> bool {
    let beyond = [
        ("SubmitCard", "/card/number"),
        ("PutMerchantProfile", "/rnc"),
        ("CreateWebhookEndpoint", "/url"),
        ("CreatePayment", "/returnUrl"),
        // A document of gifts alone has no line to invoice.
        ("CreatePayment", "/fiscalDocument/lines/0/taxTreatment"),
        ("CorrectFiscalDocument", "/lines/0/taxTreatment"),
        // Only a settlement outside has a reference.
        ("CreateRefund", "/settlement"),
        // Each part is named once.
        ("CreateRefund", "/parts/0/ordinal"),
        ("CreateRefund", "/parts/1/ordinal"),
    ];
    beyond.contains(&(schema, place))
}

#[test]
fn every_example_is_accepted() {
    for (name, file, read) in REQUESTS {
        assert_eq!(results(&validator(name), &example(file), read), (true, true), "{name}");
    }
}

#[test]
fn schema_and_reader_agree_on_replaced_values() {
    let replacements = replacements();
    let mut counts = [0, 0];
    for (name, file, read) in REQUESTS {
        let (schema, example) = (validator(name), example(file));
        for place in paths(&example) {
            for replacement in &replacements {
                let mut body = example.clone();
                *body.pointer_mut(&place).unwrap() = replacement.clone();

                let (described, accepted) = results(&schema, &body, read);

                counts[usize::from(accepted)] += 1;
                let agrees = described == accepted || (described && is_beyond_schemas(name, &place));
                assert!(agrees, "{name}{place} = {replacement}: described {described}, accepted {accepted}");
            }
        }
    }
    assert!(counts[0] > 10_000 && counts[1] > 1_000, "{counts:?}");
}

#[test]
fn schema_and_reader_agree_on_absent_and_unknown_fields() {
    for (name, file, read) in REQUESTS {
        let (schema, example) = (validator(name), example(file));
        for place in paths(&example) {
            let (parent, key) = place.rsplit_once('/').unwrap_or_default();
            if let Some(fields) = example.pointer(parent).and_then(Value::as_object).filter(|_| !key.is_empty()) {
                let mut fields = fields.clone();
                fields.remove(key).unwrap();
                let mut body = example.clone();
                *body.pointer_mut(parent).unwrap() = json!(fields);

                let (described, accepted) = results(&schema, &body, read);

                let agrees = described == accepted || (described && is_beyond_schemas(name, &place));
                assert!(agrees, "{name} without {place}: described {described}, accepted {accepted}");
            }
            if example.pointer(&place).unwrap().is_object() {
                let mut body = example.clone();
                body.pointer_mut(&place).unwrap()["unknown"] = json!(1);

                assert_eq!(results(&schema, &body, read), (false, false), "{name}{place}/unknown");
            }
        }
    }
}

#[test]
fn schema_and_reader_agree_on_sizes() {
    let rows = [("CreatePayment", "/fiscalDocument/lines", 1000), ("CorrectFiscalDocument", "/lines", 1000)];
    for (name, place, most) in rows {
        let (_, file, read) = REQUESTS.into_iter().find(|(it, ..)| *it == name).unwrap();
        let schema = validator(name);
        for (count, is_right) in [(0, false), (1, true), (most, true), (most + 1, false)] {
            let mut body = example(file);
            let items = body.pointer_mut(place).unwrap().as_array_mut().unwrap();
            *items = vec![items[0].clone(); count];

            assert_eq!(results(&schema, &body, read), (is_right, is_right), "{name}{place}: {count}");
        }
    }
    let rows = [("CreatePayment", "/metadata", 0, 20), ("SetAccountCredentials", "/credentials", 1, 20)];
    for (name, place, least, most) in rows {
        let (_, file, read) = REQUESTS.into_iter().find(|(it, ..)| *it == name).unwrap();
        let schema = validator(name);
        for count in [0, 1, most, most + 1] {
            let fields = (0..count).map(|number| (format!("k{number}"), json!("x")));
            let mut body = example(file);
            *body.pointer_mut(place).unwrap() = Value::Object(fields.collect());

            let is_right = (least..=most).contains(&count);
            assert_eq!(results(&schema, &body, read), (is_right, is_right), "{name}{place}: {count}");
        }
    }
}

#[test]
fn a_submission_has_exactly_one_method() {
    let (_, file, read) = REQUESTS.into_iter().find(|(it, ..)| *it == "SubmitCard").unwrap();
    let (schema, card) = (validator("SubmitCard"), example(file));
    let wallet = json!({"wallet": {"kind": "wallet_a_pay", "payload": "opaque"}, "partOrdinal": 1});
    let both = json!({"card": card["card"], "wallet": wallet["wallet"]});

    assert_eq!(results(&schema, &wallet, read), (true, true));
    for body in [both, json!({}), json!({"partOrdinal": 1}), json!({"card": null}), json!({"wallet": {}})] {
        assert_eq!(results(&schema, &body, read), (false, false), "{body}");
    }
}

#[test]
fn the_reader_refuses_more_than_a_schema_can_express() {
    let rows = [
        ("SubmitCard", "/card/number", json!("4111111111111112")),
        ("PutMerchantProfile", "/rnc", json!("101850044")),
        ("CreateWebhookEndpoint", "/url", json!("https://127.0.0.1/")),
        ("CreateWebhookEndpoint", "/url", json!("https://printer.local/")),
        ("CreatePayment", "/returnUrl", json!("https://%00.example/")),
        ("CreatePayment", "/fiscalDocument/lines/0/taxTreatment", json!("non_billable")),
        ("CreateRefund", "/settlementReference", json!("caja-2")),
        // JSON Schema accepts 128000.0 as an integer.
        ("CreatePayment", "/amount/minorUnits", json!(128_000.0)),
    ];
    for (name, place, value) in rows {
        let (_, file, read) = REQUESTS.into_iter().find(|(it, ..)| *it == name).unwrap();
        let mut body = example(file);
        let (parent, field) = place.rsplit_once('/').unwrap();
        match body.pointer_mut(parent).unwrap() {
            Value::Object(fields) => drop(fields.insert(field.to_owned(), value)),
            other => panic!("{other} is not an object"),
        }

        assert_eq!(results(&validator(name), &body, read), (true, false), "{body}");
    }
}
