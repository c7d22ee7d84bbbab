//! Exchanges as people read them: the very files that the tests compare answers with.

use serde_json::{Map, Value, json};

use super::errors;

/// What answers look like, by name of file.
const ANSWERS: &[(&str, &str)] = &[
    ("checkout-payment", include_str!("../../../../fixtures/json/checkout-payment.json")),
    ("checkout-token", include_str!("../../../../fixtures/json/checkout-token.json")),
    ("event-fiscal-document", include_str!("../../../../fixtures/json/event-fiscal-document.json")),
    ("event-list", include_str!("../../../../fixtures/json/event-list.json")),
    ("event-merchant_account", include_str!("../../../../fixtures/json/event-merchant_account.json")),
    ("event-payment", include_str!("../../../../fixtures/json/event-payment.json")),
    ("event-payment_part", include_str!("../../../../fixtures/json/event-payment_part.json")),
    ("event-payment_split", include_str!("../../../../fixtures/json/event-payment_split.json")),
    ("event-payment_split-deleted", include_str!("../../../../fixtures/json/event-payment_split-deleted.json")),
    ("event-truncated", include_str!("../../../../fixtures/json/event-truncated.json")),
    ("event-webhook_endpoint", include_str!("../../../../fixtures/json/event-webhook_endpoint.json")),
    ("fiscal-document-delayed", include_str!("../../../../fixtures/json/fiscal-document-delayed.json")),
    ("fiscal-document-issued", include_str!("../../../../fixtures/json/fiscal-document-issued.json")),
    ("fiscal-document-rejected", include_str!("../../../../fixtures/json/fiscal-document-rejected.json")),
    ("fiscal-document-requested", include_str!("../../../../fixtures/json/fiscal-document-requested.json")),
    ("fiscal-revision-list", include_str!("../../../../fixtures/json/fiscal-revision-list.json")),
    ("merchant-account-not-ready", include_str!("../../../../fixtures/json/merchant-account-not-ready.json")),
    ("merchant-account-ready", include_str!("../../../../fixtures/json/merchant-account-ready.json")),
    ("merchant-profile", include_str!("../../../../fixtures/json/merchant-profile.json")),
    ("merchant-profile-blank", include_str!("../../../../fixtures/json/merchant-profile-blank.json")),
    ("payment-canceled", include_str!("../../../../fixtures/json/payment-canceled.json")),
    ("payment-challenge", include_str!("../../../../fixtures/json/payment-challenge.json")),
    ("payment-declined", include_str!("../../../../fixtures/json/payment-declined.json")),
    ("payment-list", include_str!("../../../../fixtures/json/payment-list.json")),
    (
        "payment-requires_customer_action",
        include_str!("../../../../fixtures/json/payment-requires_customer_action.json"),
    ),
    ("payment-split-open", include_str!("../../../../fixtures/json/payment-split-open.json")),
    ("payment-split-partially_paid", include_str!("../../../../fixtures/json/payment-split-partially_paid.json")),
    ("payment-split-released", include_str!("../../../../fixtures/json/payment-split-released.json")),
    ("payment-split-succeeded", include_str!("../../../../fixtures/json/payment-split-succeeded.json")),
    ("payment-succeeded", include_str!("../../../../fixtures/json/payment-succeeded.json")),
    ("payment-verifying", include_str!("../../../../fixtures/json/payment-verifying.json")),
    ("payment_part-authorized", include_str!("../../../../fixtures/json/payment_part-authorized.json")),
    ("payment_part-challenge", include_str!("../../../../fixtures/json/payment_part-challenge.json")),
    ("payment_part-declined", include_str!("../../../../fixtures/json/payment_part-declined.json")),
    ("payment_part-unpaid", include_str!("../../../../fixtures/json/payment_part-unpaid.json")),
    ("payment_split-open", include_str!("../../../../fixtures/json/payment_split-open.json")),
    (
        "payment_split-partially_authorized",
        include_str!("../../../../fixtures/json/payment_split-partially_authorized.json"),
    ),
    ("receipt-document", include_str!("../../../../fixtures/json/receipt-document.json")),
    ("requested-delivery", include_str!("../../../../fixtures/json/requested-delivery.json")),
    ("webhook-deleted", include_str!("../../../../fixtures/json/webhook-deleted.json")),
    ("webhook-delivery-list", include_str!("../../../../fixtures/json/webhook-delivery-list.json")),
    ("webhook-endpoint", include_str!("../../../../fixtures/json/webhook-endpoint.json")),
    ("webhook-endpoint-created", include_str!("../../../../fixtures/json/webhook-endpoint-created.json")),
    ("webhook-endpoint-disabled", include_str!("../../../../fixtures/json/webhook-endpoint-disabled.json")),
    ("webhook-list", include_str!("../../../../fixtures/json/webhook-list.json")),
    ("webhook-replay-event", include_str!("../../../../fixtures/json/webhook-replay-event.json")),
    ("webhook-replay-period", include_str!("../../../../fixtures/json/webhook-replay-period.json")),
];

/// What bodies look like, by name of their schema; after a dash, which of several it is.
const REQUESTS: &[(&str, &str)] = &[
    ("CancelPayment", include_str!("../../../../fixtures/json/request-cancel_payment.json")),
    ("CaptureSplit", include_str!("../../../../fixtures/json/request-capture_split.json")),
    ("ChooseFiscalDocument", include_str!("../../../../fixtures/json/request-choose_fiscal_document.json")),
    ("CorrectFiscalDocument", include_str!("../../../../fixtures/json/request-correct_fiscal_document.json")),
    ("CreateCheckoutToken", include_str!("../../../../fixtures/json/request-create_checkout_token.json")),
    ("CreateMerchantAccount", include_str!("../../../../fixtures/json/request-create_merchant_account.json")),
    ("CreatePayment", include_str!("../../../../fixtures/json/request-create_payment.json")),
    ("CreateWebhookEndpoint", include_str!("../../../../fixtures/json/request-create_webhook_endpoint.json")),
    ("OpenSplit-amounts", include_str!("../../../../fixtures/json/request-open_split-amounts.json")),
    ("OpenSplit-equal", include_str!("../../../../fixtures/json/request-open_split-equal.json")),
    ("PutMerchantProfile", include_str!("../../../../fixtures/json/request-put_merchant_profile.json")),
    ("ReleaseSplit", include_str!("../../../../fixtures/json/request-release_split.json")),
    ("RenewSplit", include_str!("../../../../fixtures/json/request-renew_split.json")),
    ("ReplayWebhooks-event", include_str!("../../../../fixtures/json/request-replay_webhooks-event.json")),
    ("ReplayWebhooks-period", include_str!("../../../../fixtures/json/request-replay_webhooks-period.json")),
    ("RequestDelivery", include_str!("../../../../fixtures/json/request-request_delivery.json")),
    ("RotateWebhookSecret", include_str!("../../../../fixtures/json/request-rotate_webhook_secret.json")),
    ("SetAccountCredentials", include_str!("../../../../fixtures/json/request-set_account_credentials.json")),
    ("SetVoluntaryTip", include_str!("../../../../fixtures/json/request-set_voluntary_tip.json")),
    ("SubmitCard", include_str!("../../../../fixtures/json/request-submit_card.json")),
    ("TestWebhookEndpoint", include_str!("../../../../fixtures/json/request-test_webhook_endpoint.json")),
    ("UpdateWebhookEndpoint", include_str!("../../../../fixtures/json/request-update_webhook_endpoint.json")),
];

/// Every example, by name.
pub(super) fn all() -> Map<String, Value> {
    let example = |(name, text): &(&str, &str)| ((*name).to_owned(), json!({"value": parsed(text)}));
    ANSWERS.iter().chain(REQUESTS).map(example).chain(errors::examples()).collect()
}

/// Name of the example of an error with that code.
pub(super) fn error_name(code: &str) -> String {
    format!("error-{code}")
}

/// Reference to the example of an error with that code.
pub(super) fn of_error(code: &str) -> Value {
    json!({"$ref": format!("#/components/examples/{}", error_name(code))})
}

/// References to these examples.
pub(super) fn references(names: &[&str]) -> Map<String, Value> {
    let reference = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/examples/{name}")}));
    names.iter().map(reference).collect()
}

/// The examples of a body of that schema.
pub(super) fn of_request(schema: &str) -> Value {
    let names = REQUESTS.iter().map(|(name, _)| *name).filter(|name| name.split('-').next() == Some(schema));
    json!(references(&names.collect::<Vec<_>>()))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("the tests write these files, and compare them with what is served")
}
