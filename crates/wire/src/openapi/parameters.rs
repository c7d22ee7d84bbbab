//! Parameters of paths, headers and queries.

use domain::{EventId, FiscalDocumentId, PaymentId, RefundId, WebhookEndpointId};
use serde_json::{Map, Value, json};

use crate::{
    query::{events, payments, refunds, webhooks},
    read::Schemas,
    schema::{MAX_PARTS, id, integer, matching, text, with},
};

/// Returns the parameters, by the name of their component.
pub(super) fn all() -> Map<String, Value> {
    let topics = [in_paths(), in_headers(), in_queries()];
    topics.into_iter().flatten().map(|(name, parameter)| (name.to_owned(), parameter)).collect()
}

type Named = (&'static str, Value);

fn in_paths() -> Vec<Named> {
    let path = |name: &str, schema: Value, description: &str| json!({"name": name, "in": "path", "required": true, "schema": schema, "description": description});
    vec![
        ("PaymentId", path("paymentId", id(PaymentId::PREFIX), "Identifier of the payment.")),
        ("FiscalDocumentId", path("fiscalDocumentId", id(FiscalDocumentId::PREFIX), "Identifier of the document.")),
        ("MerchantAccountId", path("merchantAccountId", text(1..=256), "Identifier of the merchant account.")),
        ("Ordinal", path("ordinal", integer(1..=MAX_PARTS as i64), "Ordinal of the part, counted from 1.")),
        ("RefundId", path("refundId", id(RefundId::PREFIX), "Identifier of the refund.")),
        ("WebhookEndpointId", path("webhookEndpointId", id(WebhookEndpointId::PREFIX), "Identifier of the endpoint.")),
        ("EventId", path("eventId", id(EventId::PREFIX), "Identifier of the event.")),
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
    let on_key = "Identifies the command. Within 72 hours, the same key with the same request returns the first \
                  response again, byte for byte; with another request, the key is a conflict.";
    let tags = r#"^(\*|(W/)?"[\x21\x23-\x7e]*"(, ?(W/)?"[\x21\x23-\x7e]*")*)$"#;
    let tags = with(matching(tags), [("minLength", json!(1)), ("maxLength", json!(1024))]);
    let on_version = "Entity tag that the resource must still have (RFC 9110, 13.1.1), or several, or `*`. A command about a \
                      split, a fiscal document or a refund compares the tag of its payment. Otherwise the request is \
                      refused with `precondition_failed` and has no effect.";
    let on_account = "Merchant account of the payment. Default: the only eligible account.";
    vec![
        ("IdempotencyKey", header("idempotency-key", true, key, on_key)),
        ("IfMatch", header("If-Match", false, tags, on_version)),
        ("MerchantAccount", header("merchant-account", false, text(1..=256), on_account)),
        ("Provider", header("provider", false, text(1..=64), "Restricts the choice of the account to this provider.")),
    ]
}

/// Returns the query parameters, described by the readers of queries.
fn in_queries() -> Vec<Named> {
    let schemas = Schemas::default();
    schemas.add("deliveries", "", webhooks::deliveries);
    schemas.add("events", "", events::fields);
    schemas.add("payments", "", payments::fields);
    schemas.add("refunds", "", refunds::fields);
    let mut schemas = schemas.into_inner();
    let mut query = |query: &str, name: &str| {
        let mut schema = schemas[query]["properties"][name].take();
        let description = schema["description"].take();
        schema.as_object_mut().map(|keywords| keywords.remove("description"));
        json!({"name": name, "in": "query", "required": false, "schema": schema, "description": description})
    };
    vec![
        ("Limit", query("payments", "limit")),
        ("Cursor", query("payments", "cursor")),
        ("DeliveryStatus", query("deliveries", "status")),
        ("Status", query("payments", "status")),
        ("SaleReference", query("payments", "saleReference")),
        ("MerchantInvoiceNumber", query("payments", "merchantInvoiceNumber")),
        ("MerchantOrderNumber", query("payments", "merchantOrderNumber")),
        ("CreatedAfter", query("payments", "createdAfter")),
        ("CreatedBefore", query("payments", "createdBefore")),
        ("EventType", query("events", "type")),
        ("OfPayment", query("events", "paymentId")),
        ("RefundedPayment", query("refunds", "payment")),
        ("RefundStatus", query("refunds", "status")),
        ("RefundReference", query("refunds", "refundReference")),
    ]
}
