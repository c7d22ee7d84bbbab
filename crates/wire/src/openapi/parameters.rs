//! What goes into paths, queries and headers.

use domain::{FiscalDocumentId, PaymentId, payment::PaymentStatus};
use serde_json::{Map, Value, json};

use super::schema::{choice, id, line, matching, moment, saying, text, with};

/// Each parameter, by the name under which operations refer to it.
pub(super) fn all() -> Map<String, Value> {
    let topics = [in_paths(), in_headers(), in_queries()];
    topics.into_iter().flatten().map(|(name, parameter)| (name.to_owned(), parameter)).collect()
}

type Named = (&'static str, Value);

fn in_paths() -> Vec<Named> {
    let path = |name: &str, schema: Value| json!({"name": name, "in": "path", "required": true, "schema": schema});
    vec![
        ("PaymentId", path("paymentId", id(PaymentId::PREFIX))),
        ("FiscalDocumentId", path("fiscalDocumentId", id(FiscalDocumentId::PREFIX))),
        ("MerchantAccountId", path("merchantAccountId", text(1..=256))),
        ("Ordinal", path("ordinal", super::schema::integer(1..=10))),
        ("WebhookEndpointId", path("webhookEndpointId", id(domain::WebhookEndpointId::PREFIX))),
        ("EventId", path("eventId", id(domain::EventId::PREFIX))),
    ]
}

fn in_headers() -> Vec<Named> {
    let header = |name: &str, is_required: bool, schema: Value, description: &str| {
        json!({
            "name": name, "in": "header", "required": is_required, "schema": schema, "description": description,
        })
    };
    let key =
        with(matching(r"^[\x20-\x7e]*[\x21-\x7e][\x20-\x7e]*$"), [("minLength", json!(1)), ("maxLength", json!(255))]);
    let on_key = "Names the command. Sent again within 72 hours, the same key with the same request brings the first \
                  answer again, byte for byte; with another request it is a conflict.";
    let tags = r#"^(\*|(W/)?"[\x21\x23-\x7e]*"(, ?(W/)?"[\x21\x23-\x7e]*")*)$"#;
    let tags = with(matching(tags), [("minLength", json!(1)), ("maxLength", json!(1024))]);
    let on_version = "The entity tag that the resource must still have (RFC 9110, 13.1.1), or several, or *. If it has \
                      another, the answer is precondition_failed, and nothing is changed.";
    let on_account = "The account that the payment is bound to: the only one that is eligible, unless it is said.";
    vec![
        ("IdempotencyKey", header("idempotency-key", true, key, on_key)),
        ("IfMatch", header("If-Match", false, tags, on_version)),
        ("MerchantAccount", header("merchant-account", false, text(1..=256), on_account)),
        ("Provider", header("provider", false, text(1..=64), "Narrows the choice of the account.")),
    ]
}

fn in_queries() -> Vec<Named> {
    let query = |name: &str, schema: Value| json!({"name": name, "in": "query", "required": false, "schema": schema});
    let limit = json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20});
    let moment = |meaning: &str| saying(moment(), meaning);
    let patterns = crate::create_webhook_endpoint::event_patterns();
    vec![
        ("Limit", query("limit", limit)),
        ("Cursor", query("cursor", saying(text(1..=512), "The nextCursor of an earlier part with the same filters."))),
        ("DeliveryStatus", query("status", choice(domain::webhook::WebhookDeliveryStatus::WORDS))),
        ("Status", query("status", choice(PaymentStatus::ALL.iter().map(|it| it.as_str())))),
        ("SaleReference", query("saleReference", line(1..=128))),
        ("MerchantInvoiceNumber", query("merchantInvoiceNumber", line(1..=20))),
        ("MerchantOrderNumber", query("merchantOrderNumber", line(1..=20))),
        ("CreatedAfter", query("createdAfter", moment("From this moment on; earlier than createdBefore."))),
        ("CreatedBefore", query("createdBefore", moment("Before this moment."))),
        ("EventType", query("type", choice(patterns.iter().map(String::as_str)))),
        ("OfPayment", query("paymentId", id(PaymentId::PREFIX))),
    ]
}
