//! `POST /webhook_endpoints/{webhookEndpointId}/replays`.

use chrono::{DateTime, Utc};
use domain::{EventId, Refusal, webhook::EventSelection};

use super::create_webhook_endpoint::enabled_events;
use crate::{
    json::Json,
    read::{self, Object},
    schema,
};

/// Events to send again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayRequest {
    /// One event.
    Event(EventId),
    /// Events of a period.
    Period {
        /// First moment of the period.
        since: DateTime<Utc>,
        /// Moment right after the period. `None` is now.
        until: Option<DateTime<Utc>>,
        /// Types of events. `None` is the selection of the endpoint.
        event_types: Option<EventSelection>,
        /// Whether to replay failed deliveries alone.
        is_only_failed: bool,
    },
}

/// Parses the request.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<ReplayRequest, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<ReplayRequest> {
    body.one_of([("ReplayEvent", one), ("ReplayPeriod", period)], |body| usize::from(!body.has("eventId")))
}

fn one(body: &mut Object<'_>) -> Option<ReplayRequest> {
    let event = body.required("eventId", "Identifier of the event to send again.", |value| {
        let schema = || schema::id(EventId::PREFIX);
        value.parsed(schema, EventId::parse, "The value must be the identifier of an event.")
    });
    for name in ["since", "until", "eventTypes", "onlyFailed"] {
        if body.has(name) {
            return body.invalid(name, "The value belongs to a period, and eventId names one event.");
        }
    }
    event.map(ReplayRequest::Event)
}

fn period(body: &mut Object<'_>) -> Option<ReplayRequest> {
    let since = body.required("since", "First moment of the period, earlier than `until` (RFC 3339).", read::instant);
    let until = body.optional("until", "Moment right after the period (RFC 3339). Default: now.", read::instant);
    let event_types = body.optional(
        "eventTypes",
        "Events to replay: types, prefixes such as `payment.*`, or `*`. Default: the events of the endpoint.",
        enabled_events,
    );
    let is_only_failed =
        body.optional("onlyFailed", "Whether to replay failed deliveries alone. Default: false.", read::boolean);
    let (since, until) = (since?, until?);
    if until.is_some_and(|until| since >= until) {
        return body.invalid("since", "The value must be earlier than until.");
    }
    let (event_types, is_only_failed) = (event_types?, is_only_failed?.unwrap_or_default());
    Some(ReplayRequest::Period { since, until, event_types, is_only_failed })
}
