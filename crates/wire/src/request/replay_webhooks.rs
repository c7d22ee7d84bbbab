//! `POST /webhook_endpoints/{webhookEndpointId}/replays`.

use chrono::{DateTime, Utc};
use domain::{EventId, Refusal, webhook::EventSelection};

use super::create_webhook_endpoint::enabled_events;
use crate::{
    json::Json,
    query::instant,
    read::{self, Object, Value},
};

/// What is to be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayRequest {
    /// One event.
    Event(EventId),
    /// What was told in a period.
    Period {
        /// From this moment on.
        since: DateTime<Utc>,
        /// Before this moment; up to now if it is not said.
        until: Option<DateTime<Utc>>,
        /// Of these kinds; of what the endpoint selects if it is not said.
        event_types: Option<EventSelection>,
        /// Only what was given up.
        is_only_failed: bool,
    },
}

/// The wish in `body`: one event, or a period.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<ReplayRequest, Refusal> {
    read::request(body, |it| match it.has("eventId") {
        true => one(it),
        false => period(it),
    })
}

fn one(it: &mut Object<'_>) -> Option<ReplayRequest> {
    let event = it.required("eventId", event);
    for name in ["since", "until", "eventTypes", "onlyFailed"] {
        if it.has(name) {
            return it.invalid(name, "The value belongs to a period, and eventId names one event.");
        }
    }
    event.map(ReplayRequest::Event)
}

fn event(value: Value<'_>) -> Option<EventId> {
    value.parsed(EventId::parse, "The value must be the identifier of an event.")
}

fn period(it: &mut Object<'_>) -> Option<ReplayRequest> {
    let since = it.required("since", instant);
    let until = it.optional("until", instant);
    let event_types = it.optional("eventTypes", enabled_events);
    let is_only_failed = it.optional("onlyFailed", read::boolean);
    let (since, until) = (since?, until?);
    if until.is_some_and(|until| since >= until) {
        return it.invalid("since", "The value must be earlier than until.");
    }
    let (event_types, is_only_failed) = (event_types?, is_only_failed?.unwrap_or_default());
    Some(ReplayRequest::Period { since, until, event_types, is_only_failed })
}
