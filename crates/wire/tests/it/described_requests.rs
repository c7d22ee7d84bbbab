//! The schemas of requests against their readers: whatever becomes of a body, both say the same of it.

use std::{fs, path::PathBuf};

use domain::{Refusal, fiscal::check_lines};
use jsonschema::Validator;
use serde_json::{Value, json};
use wire::{
    Json, cancel_payment, choose_fiscal_document, correct_fiscal_document, create_checkout_token,
    create_merchant_account, create_payment, create_webhook_endpoint, empty_body, open_split, put_merchant_profile,
    release_split, replay_webhooks, request_delivery, rotate_webhook_secret, set_account_credentials,
    set_voluntary_tip, submit_card, update_webhook_endpoint,
};

use crate::contract::validator;

/// Says whether a body is taken. Lines are judged together, right after they are read.
type Reader = fn(&Json) -> Result<(), Refusal>;

/// Each schema, the file of its example, and the reader.
const REQUESTS: [(&str, &str, Reader); 22] = [
    ("CancelPayment", "cancel_payment", |it| cancel_payment::parse(it).map(drop_it)),
    ("CaptureSplit", "capture_split", |it| empty_body::parse(it).map(drop_it)),
    ("ChooseFiscalDocument", "choose_fiscal_document", |it| choose_fiscal_document::parse(it).map(drop_it)),
    ("CorrectFiscalDocument", "correct_fiscal_document", |it| check_lines(&correct_fiscal_document::parse(it)?.lines)),
    ("CreateCheckoutToken", "create_checkout_token", |it| create_checkout_token::parse(it).map(drop_it)),
    ("CreateMerchantAccount", "create_merchant_account", |it| create_merchant_account::parse(it).map(drop_it)),
    ("CreatePayment", "create_payment", |it| check_lines(&create_payment::parse(it)?.document.lines)),
    ("CreateWebhookEndpoint", "create_webhook_endpoint", |it| create_webhook_endpoint::parse(it, false).map(drop_it)),
    ("OpenSplit", "open_split-amounts", |it| open_split::parse(it).map(drop_it)),
    ("OpenSplit", "open_split-equal", |it| open_split::parse(it).map(drop_it)),
    ("PutMerchantProfile", "put_merchant_profile", |it| put_merchant_profile::parse(it).map(drop_it)),
    ("ReleaseSplit", "release_split", |it| release_split::parse(it).map(drop_it)),
    ("RenewSplit", "renew_split", |it| empty_body::parse(it).map(drop_it)),
    ("ReplayWebhooks", "replay_webhooks-event", |it| replay_webhooks::parse(it).map(drop_it)),
    ("ReplayWebhooks", "replay_webhooks-period", |it| replay_webhooks::parse(it).map(drop_it)),
    ("RequestDelivery", "request_delivery", |it| request_delivery::parse(it).map(drop_it)),
    ("RotateWebhookSecret", "rotate_webhook_secret", |it| rotate_webhook_secret::parse(it).map(drop_it)),
    ("SetAccountCredentials", "set_account_credentials", |it| set_account_credentials::parse(it).map(drop_it)),
    ("SetVoluntaryTip", "set_voluntary_tip", |it| set_voluntary_tip::parse(it).map(drop_it)),
    ("SubmitCard", "submit_card", |it| submit_card::parse(it).map(drop_it)),
    ("TestWebhookEndpoint", "test_webhook_endpoint", |it| empty_body::parse(it).map(drop_it)),
    ("UpdateWebhookEndpoint", "update_webhook_endpoint", |it| update_webhook_endpoint::parse(it, false).map(drop_it)),
];

fn drop_it<T>(_: T) {}

fn example(file: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/json");
    serde_json::from_str(&fs::read_to_string(path.join(format!("request-{file}.json"))).unwrap()).unwrap()
}

fn is_taken(body: &Value, read: Reader) -> bool {
    wire::json::read(body.to_string().as_bytes()).and_then(|tree| read(&tree)).is_ok()
}

/// What the two say of `body`: first the schema, then the reader.
fn verdicts(schema: &Validator, body: &Value, read: Reader) -> (bool, bool) {
    (schema.is_valid(body), is_taken(body, read))
}

/// The path of every value in `body`.
fn places(body: &Value) -> Vec<String> {
    let inner = |key: String, value: &Value| {
        places(value).into_iter().map(move |rest| format!("/{key}{rest}")).collect::<Vec<_>>()
    };
    let inside: Vec<String> = match body {
        Value::Object(fields) => fields.iter().flat_map(|(key, value)| inner(key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().flat_map(|(at, value)| inner(at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    [vec![String::new()], inside].concat()
}

/// Texts that mean something somewhere, and texts that only seem to.
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

/// Numbers beside which a bound stands.
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

/// Lengths beside which a bound stands.
const LENGTHS: &[usize] = &[
    0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 16, 17, 19, 20, 21, 22, 23, 24, 25, 32, 33, 64, 65, 80, 81, 128, 129, 160, 161,
    256, 257, 500, 501, 8192, 8193,
];

/// Values of every type.
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

/// Where a reader knows more than a schema can say: check digits, and what addresses mean.
fn is_beyond_schemas(schema: &str, place: &str) -> bool {
    let beyond = [
        ("SubmitCard", "/card/number"),
        ("PutMerchantProfile", "/rnc"),
        ("CreateWebhookEndpoint", "/url"),
        ("CreatePayment", "/returnUrl"),
        // A document of nothing but gifts has no line to invoice.
        ("CreatePayment", "/fiscalDocument/lines/0/taxTreatment"),
        ("CorrectFiscalDocument", "/lines/0/taxTreatment"),
    ];
    beyond.contains(&(schema, place))
}

#[test]
fn every_example_is_taken() {
    for (name, file, read) in REQUESTS {
        assert_eq!(verdicts(&validator(name), &example(file), read), (true, true), "{name}");
    }
}

#[test]
fn whatever_stands_in_the_place_of_a_value_schema_and_reader_say_the_same() {
    let replacements = replacements();
    let mut counts = [0, 0];
    for (name, file, read) in REQUESTS {
        let (schema, example) = (validator(name), example(file));
        for place in places(&example) {
            for replacement in &replacements {
                let mut body = example.clone();
                *body.pointer_mut(&place).unwrap() = replacement.clone();

                let (described, taken) = verdicts(&schema, &body, read);

                counts[usize::from(taken)] += 1;
                let agrees = described == taken || (described && is_beyond_schemas(name, &place));
                assert!(agrees, "{name}{place} = {replacement}: described {described}, taken {taken}");
            }
        }
    }
    assert!(counts[0] > 10_000 && counts[1] > 1_000, "{counts:?}");
}

#[test]
fn whatever_is_left_out_or_added_schema_and_reader_say_the_same() {
    for (name, file, read) in REQUESTS {
        let (schema, example) = (validator(name), example(file));
        for place in places(&example) {
            let (parent, key) = place.rsplit_once('/').unwrap_or_default();
            if let Some(fields) = example.pointer(parent).and_then(Value::as_object).filter(|_| !key.is_empty()) {
                let mut fields = fields.clone();
                fields.remove(key).unwrap();
                let mut body = example.clone();
                *body.pointer_mut(parent).unwrap() = json!(fields);

                let (described, taken) = verdicts(&schema, &body, read);

                assert_eq!(described, taken, "{name} without {place}");
            }
            if example.pointer(&place).unwrap().is_object() {
                let mut body = example.clone();
                body.pointer_mut(&place).unwrap()["unknown"] = json!(1);

                assert_eq!(verdicts(&schema, &body, read), (false, false), "{name}{place}/unknown");
            }
        }
    }
}

#[test]
fn however_many_items_there_are_schema_and_reader_say_the_same() {
    let rows = [("CreatePayment", "/fiscalDocument/lines", 1000), ("CorrectFiscalDocument", "/lines", 1000)];
    for (name, place, most) in rows {
        let (_, file, read) = REQUESTS.into_iter().find(|(it, ..)| *it == name).unwrap();
        let schema = validator(name);
        for (count, is_right) in [(0, false), (1, true), (most, true), (most + 1, false)] {
            let mut body = example(file);
            let items = body.pointer_mut(place).unwrap().as_array_mut().unwrap();
            *items = vec![items[0].clone(); count];

            assert_eq!(verdicts(&schema, &body, read), (is_right, is_right), "{name}{place}: {count}");
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
            assert_eq!(verdicts(&schema, &body, read), (is_right, is_right), "{name}{place}: {count}");
        }
    }
}

#[test]
fn a_submission_of_two_methods_or_none_is_neither_described_nor_taken() {
    let (_, file, read) = REQUESTS.into_iter().find(|(it, ..)| *it == "SubmitCard").unwrap();
    let (schema, card) = (validator("SubmitCard"), example(file));
    let wallet = json!({"wallet": {"kind": "wallet_a_pay", "payload": "opaque"}, "partOrdinal": 1});
    let both = json!({"card": card["card"], "wallet": wallet["wallet"]});

    assert_eq!(verdicts(&schema, &wallet, read), (true, true));
    for body in [both, json!({}), json!({"partOrdinal": 1}), json!({"card": null}), json!({"wallet": {}})] {
        assert_eq!(verdicts(&schema, &body, read), (false, false), "{body}");
    }
}

#[test]
fn what_a_schema_cannot_say_the_reader_still_refuses() {
    let rows = [
        ("SubmitCard", "/card/number", json!("4111111111111112")),
        ("PutMerchantProfile", "/rnc", json!("101850044")),
        ("CreateWebhookEndpoint", "/url", json!("https://127.0.0.1/")),
        ("CreateWebhookEndpoint", "/url", json!("https://printer.local/")),
        ("CreatePayment", "/returnUrl", json!("https://%00.example/")),
        ("CreatePayment", "/fiscalDocument/lines/0/taxTreatment", json!("non_billable")),
        // JSON Schema takes a number without remainder for an integer, however it is written.
        ("CreatePayment", "/amount/minorUnits", json!(128_000.0)),
    ];
    for (name, place, value) in rows {
        let (_, file, read) = REQUESTS.into_iter().find(|(it, ..)| *it == name).unwrap();
        let mut body = example(file);
        *body.pointer_mut(place).unwrap() = value;

        assert_eq!(verdicts(&validator(name), &body, read), (true, false), "{body}");
    }
}
