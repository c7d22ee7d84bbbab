//! Endpoints, and what is sent to them.

use domain::{
    EventId, EventKind, WebhookEndpointId,
    webhook::{DisabledReason, WebhookDeliveryStatus},
};
use serde_json::{Value, json};

use super::{
    super::schema::{
        boolean, choice, closed, count, id, instant, integer, line, list, matching, moment, nullable, one_of, only,
        open, open_choice, optional, page, required, saying, text,
    },
    Named,
    merchant_request::{endpoint_address, selected_events},
    payment::page_of,
};

pub(super) fn schemas() -> Vec<Named> {
    let mut schemas = vec![
        ("WebhookEndpoint", endpoint()),
        ("WebhookEndpointList", page_of("WebhookEndpoint")),
        ("DeletedEndpoint", deleted()),
        ("WebhookDelivery", delivery()),
        ("WebhookDeliveryList", page_of("WebhookDelivery")),
        ("WebhookReplay", replay()),
        ("UpdateWebhookEndpoint", update()),
        ("RotateWebhookSecret", rotate()),
        ("TestWebhookEndpoint", closed([])),
    ];
    schemas.extend(replays());
    schemas
}

fn endpoint() -> Value {
    let secret = saying(
        matching("^whsec_[A-Za-z0-9+/]+=*$"),
        "Signs what is sent, by Standard Webhooks. Shown as it is made, and never again.",
    );
    open([
        required("id", id(WebhookEndpointId::PREFIX)),
        required("object", only("webhook_endpoint")),
        required("url", page()),
        required("enabledEvents", list(json!({"type": "string"}))),
        optional("description", text(1..=256)),
        required("status", choice(["enabled", "disabled"])),
        optional("disabledReason", choice(DisabledReason::ALL.iter().map(|it| it.as_str()))),
        required("isLiveMode", boolean()),
        required("apiVersion", only("v1")),
        optional("signingSecret", secret),
        required("createdAt", instant()),
        required("updatedAt", instant()),
    ])
}

fn deleted() -> Value {
    open([
        required("id", id(WebhookEndpointId::PREFIX)),
        required("object", only("webhook_endpoint")),
        required("isDeleted", saying(boolean(), "Always true.")),
    ])
}

fn delivery() -> Value {
    let failures = ["blocked_address", "unreachable", "timed_out"];
    let attempt = open([
        required("attemptedAt", instant()),
        required("statusCode", saying(nullable(count()), "The HTTP status, if there was an answer.")),
        required("failure", saying(nullable(open_choice(failures)), "What went wrong, if there was none.")),
        required("latencyMilliseconds", count()),
    ]);
    open([
        required("object", only("webhook_delivery")),
        required("webhookEndpointId", id(WebhookEndpointId::PREFIX)),
        required("eventId", id(EventId::PREFIX)),
        required("eventType", open_choice(EventKind::ALL.iter().map(|it| it.as_str()))),
        required("eventCreatedAt", instant()),
        required("status", choice(WebhookDeliveryStatus::WORDS)),
        required("attemptCount", saying(count(), "Since it set out, or was last replayed.")),
        required("nextAttemptAt", saying(nullable(instant()), "While it is pending.")),
        required("endedAt", saying(nullable(instant()), "When it was taken or given up.")),
        required("lastAttempt", nullable(attempt)),
    ])
}

fn replay() -> Value {
    open([
        required("object", only("webhook_replay")),
        required("webhookEndpointId", id(WebhookEndpointId::PREFIX)),
        optional("eventId", id(EventId::PREFIX)),
        optional("since", instant()),
        optional("until", saying(instant(), "Where this replay ends.")),
        required("deliveryCount", saying(count(), "How many events set out.")),
        required("isComplete", saying(boolean(), "If not, ask again with this until as since.")),
    ])
}

fn update() -> Value {
    closed([
        optional("url", endpoint_address()),
        optional("enabledEvents", selected_events()),
        optional("description", line(1..=256)),
        optional("status", saying(choice(["enabled", "disabled"]), "What waits while it is off goes out later.")),
    ])
}

fn rotate() -> Value {
    let overlap = "For how long the secret before signs, too; 86400 unless it is said.";
    closed([optional("overlapSeconds", saying(integer(0..=86_400), overlap))])
}

fn replays() -> Vec<Named> {
    let one = closed([required("eventId", saying(id(EventId::PREFIX), "The name of an event."))]);
    let period = closed([
        required("since", saying(moment(), "From this moment on; earlier than until.")),
        optional("until", saying(moment(), "Before this moment; up to now unless it is said.")),
        optional("eventTypes", saying(selected_events(), "What the endpoint selects unless it is said.")),
        optional("onlyFailed", saying(boolean(), "Only what was given up; false unless it is said.")),
    ]);
    vec![("ReplayWebhooks", one_of(&["ReplayEvent", "ReplayPeriod"])), ("ReplayEvent", one), ("ReplayPeriod", period)]
}
