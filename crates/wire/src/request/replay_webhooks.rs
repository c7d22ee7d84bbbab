//! `POST /webhook_endpoints/{webhookEndpointId}/replays`.

use domain::{EventId, Refusal, webhook::ReplayWebhooks};

use super::create_webhook_endpoint::enabled_events;
use crate::{
    json::Json,
    read::{self, Object},
    schema,
};

/// Parses the request.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<ReplayWebhooks, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<ReplayWebhooks> {
    body.one_of([("ReplayEvent", one), ("ReplayPeriod", period)], |body| usize::from(!body.has("eventId")))
}

fn one(body: &mut Object<'_>) -> Option<ReplayWebhooks> {
    let event = body.required("eventId", "Identifier of the event to send again.", |value| {
        let schema = || schema::id(EventId::PREFIX);
        value.parsed(schema, EventId::parse, "The value must be the identifier of an event.")
    });
    for name in ["since", "until", "eventTypes", "onlyFailed"] {
        if body.has(name) {
            return body.invalid(name, "The value belongs to a period, and eventId names one event.");
        }
    }
    event.map(ReplayWebhooks::Event)
}

fn period(body: &mut Object<'_>) -> Option<ReplayWebhooks> {
    let since = body.required("since", "First moment of the period, earlier than `until` (RFC 3339).", read::instant);
    let until = body.optional("until", "Moment right after the period (RFC 3339). Default: now.", read::instant);
    let kinds = body.optional(
        "eventTypes",
        "Events to replay: types, prefixes such as `payment.*`, or `*`. Default: the events of the endpoint.",
        enabled_events,
    );
    let is_only_failed =
        body.with_default("onlyFailed", "Whether to replay failed deliveries alone. Default: false.", read::boolean);
    let (since, until) = (since?, until?);
    if until.is_some_and(|until| since >= until) {
        return body.invalid("since", "The value must be earlier than until.");
    }
    Some(ReplayWebhooks::Period { since, until, kinds: kinds?, is_only_failed: is_only_failed? })
}
