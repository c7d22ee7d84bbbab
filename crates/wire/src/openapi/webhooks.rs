//! What is sent to endpoints.

use domain::EventId;
use serde_json::{Value, json};

use super::{
    examples,
    schema::{id, matching, reference},
};

/// What an endpoint takes: one event of any kind.
pub(super) fn webhooks() -> Value {
    let header = |name: &str, schema: Value, description: &str| {
        json!({
            "name": name, "in": "header", "required": true, "schema": schema, "description": description,
        })
    };
    let shown = [
        "event-payment",
        "event-fiscal-document",
        "event-payment_split",
        "event-payment_split-deleted",
        "event-payment_part",
        "event-merchant_account",
        "event-webhook_endpoint",
        "event-truncated",
    ];
    let content = json!({"schema": reference("Event"), "examples": examples::references(&shown)});
    let signatures = matching("^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$");
    let taken = "Taken. Anything else is tried again, ten times in three days; a redirect is not followed.";
    let sent = json!({
        "operationId": "receiveEvent",
        "tags": ["Webhooks"],
        "summary": "Receive an event",
        "description": "Cobro sends each event to every endpoint that selects its type, as Standard Webhooks 1.0.0 \
                        says. An event may arrive twice or late: compare `sequence`. Verify the signature before \
                        parsing the body.",
        "security": [],
        "parameters": [
            header("webhook-id", id(EventId::PREFIX), "The id of the event: the same at every attempt."),
            header("webhook-timestamp", matching("^[0-9]+$"), "When this attempt is made, in seconds since 1970."),
            header("webhook-signature", signatures, "One for each secret: while one replaces another, both sign."),
        ],
        "requestBody": {"required": true, "content": {"application/json": content}},
        "responses": {
            "2XX": {"description": taken},
            "410": {"description": "Gone: the endpoint is switched off."},
            "429": {"description": "Too much: Retry-After makes the pause longer. So it does with 503."},
        },
    });
    json!({"event": {"post": sent}})
}
