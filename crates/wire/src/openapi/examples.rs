//! Examples: the files that tests compare responses with.

use serde_json::{Map, Value, json};

use crate::schema::pascal_case;

/// Declares examples, each with the name and the text of a file.
macro_rules! files {
    ($prefix:literal: $($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../../../fixtures/json/", $prefix, $name, ".json")))),+]
    };
}

/// Responses.
const RESPONSES: &[(&str, &str)] = files! { "":
    "checkout-payment" "checkout-payment-refunded" "checkout-token"
    "event-credit_note" "event-fiscal-document" "event-list" "event-merchant_account" "event-payment" "event-payment_part"
    "event-payment_split" "event-payment_split-deleted" "event-refund" "event-truncated" "event-webhook_endpoint"
    "fiscal-document-delayed" "fiscal-document-issued" "fiscal-document-note_corrected" "fiscal-document-note_issued"
    "fiscal-document-rejected" "fiscal-document-requested"
    "fiscal-revision-list"
    "merchant-account-not-ready" "merchant-account-ready" "merchant-profile" "merchant-profile-blank"
    "payment-canceled" "payment-challenge" "payment-declined" "payment-list" "payment-requires_customer_action"
    "payment-split-open" "payment-split-partially_paid" "payment-split-released" "payment-split-succeeded"
    "payment-succeeded" "payment-verifying" "payment_part-authorized" "payment_part-challenge" "payment_part-declined"
    "payment_part-unpaid" "payment_split-open" "payment_split-partially_authorized"
    "receipt-document"
    "refund-attributed" "refund-failed" "refund-list" "refund-outside" "refund-partially_succeeded"
    "refund-preview-inexact" "refund-preview-lines" "refund-preview-split" "refund-preview-tip" "refund-split"
    "refund-succeeded" "refund-unattributed" "refund-verifying"
    "requested-delivery"
    "webhook-deleted" "webhook-delivery-list" "webhook-endpoint" "webhook-endpoint-created" "webhook-endpoint-disabled"
    "webhook-list" "webhook-replay-event" "webhook-replay-period"
};

/// Request bodies, each with the name of the operation. A suffix after a dash tells several examples apart.
const REQUESTS: &[(&str, &str)] = files! { "request-":
    "attribute_refund-amount" "attribute_refund-lines" "cancel_payment" "capture_split" "choose_fiscal_document"
    "correct_credit_note" "correct_fiscal_document" "create_checkout_token" "create_merchant_account" "create_payment"
    "create_refund-all" "create_refund-amount" "create_refund-lines" "create_refund-outside" "create_refund-parts"
    "create_refund-retry" "create_refund-tip" "create_webhook_endpoint" "open_split-amounts" "open_split-equal"
    "preview_refund-amount" "preview_refund-lines" "put_merchant_profile" "release_split" "renew_split" "replay_webhooks-event" "replay_webhooks-period"
    "request_delivery" "rotate_webhook_secret" "set_account_credentials" "set_voluntary_tip" "submit_card"
    "test_webhook_endpoint" "update_webhook_endpoint"
};

/// Returns the examples of requests and successful responses, by name.
pub(super) fn of_operations() -> Map<String, Value> {
    let responses = RESPONSES.iter().map(|(name, text)| ((*name).to_owned(), parsed(text)));
    let requests = REQUESTS.iter().map(|(name, text)| (request_name(name), parsed(text)));
    responses.chain(requests).map(|(name, value)| (name, json!({"value": value}))).collect()
}

/// Returns the name of the example of an error code.
pub(super) fn error_name(code: &str) -> String {
    format!("error-{code}")
}

/// Returns a reference to the example of an error code.
pub(super) fn of_error(code: &str) -> Value {
    json!({"$ref": format!("#/components/examples/{}", error_name(code))})
}

/// Returns references to these examples.
pub(super) fn references(names: &[&str]) -> Map<String, Value> {
    let reference = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/examples/{name}")}));
    names.iter().map(reference).collect()
}

/// Returns the examples of request bodies of a schema.
pub(super) fn of_request(schema: &str) -> Value {
    let names: Vec<String> = REQUESTS.iter().map(|(name, _)| request_name(name)).collect();
    let names = names.iter().map(String::as_str).filter(|name| name.split('-').next() == Some(schema));
    json!(references(&names.collect::<Vec<_>>()))
}

/// Returns the name of a request body: the schema, and the suffix.
fn request_name(name: &str) -> String {
    match name.split_once('-') {
        Some((operation, suffix)) => format!("{}-{suffix}", pascal_case(operation)),
        None => pascal_case(name),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("tests write these files and compare responses with them")
}
