//! Requests to webhook endpoints.

use domain::EventId;
use serde_json::{Value, json};

use super::{
    examples,
    schema::{id, matching, reference},
};

/// Describes the request that delivers an event to an endpoint.
pub(super) fn webhooks() -> Value {
    let header = |name: &str, schema: Value, description: &str| {
        json!({
            "name": name, "in": "header", "required": true, "schema": schema, "description": description,
        })
    };
    let shown = [
        "event-payment",
        "event-fiscal-document",
        "event-refund",
        "event-credit_note",
        "event-payment_split",
        "event-payment_split-deleted",
        "event-payment_part",
        "event-merchant_account",
        "event-webhook_endpoint",
        "event-truncated",
    ];
    let content = json!({"schema": reference("Event"), "examples": examples::references(&shown)});
    let signatures = matching("^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$");
    let accepted = "Accepted. Any other status is retried, ten times in three days. Redirects are not followed.";
    let sent = json!({
        "operationId": "receiveEvent",
        "tags": ["Webhooks"],
        "summary": "Receive an event",
        "description": "Cobro sends each event to every endpoint that selects its type, by Standard Webhooks 1.0.0. An \
                        event may arrive twice or late: compare `sequence`. Verify the signature before parsing the \
                        body.",
        "security": [],
        "parameters": [
            header("webhook-id", id(EventId::PREFIX), "Identifier of the event, the same for every attempt."),
            header("webhook-timestamp", matching("^[0-9]+$"), "Time of this attempt, in seconds since 1970."),
            header("webhook-signature", signatures, "One signature for each secret: during a rotation, both secrets sign."),
        ],
        "requestBody": {"required": true, "content": {"application/json": content}},
        "responses": {
            "2XX": {"description": accepted},
            "410": {"description": "Gone: the endpoint is disabled."},
            "429": {"description": "Too many requests: `Retry-After` sets the pause before the next attempt, as with 503."},
        },
    });
    json!({"event": {"post": sent}})
}
