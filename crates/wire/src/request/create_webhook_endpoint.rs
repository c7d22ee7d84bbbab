//! `POST /webhook_endpoints`.

use domain::{
    EventKind, Refusal,
    webhook::{CreateEndpoint, EventSelection},
};
use serde_json::json;

use super::endpoint_url;
use crate::{
    code::codes,
    json::Json,
    read::{self, Object, Value, read_fields},
    schema,
};

/// Parses the request. `allow_private` also accepts loopback URLs, for the sandbox.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json, allow_private: bool) -> Result<CreateEndpoint, Refusal> {
    read::request(body, |body| fields(body, allow_private))
}

/// Description of the field `description`.
pub(super) const DESCRIPTION: &str = "The merchant's own note on the endpoint.";
/// Description of the field `enabledEvents`.
pub(super) const ENABLED_EVENTS: &str =
    "Events that the endpoint receives: types, prefixes such as `payment.*`, or `*` for all.";

pub(crate) fn fields(body: &mut Object<'_>, allow_private: bool) -> Option<CreateEndpoint> {
    read_fields!(body => CreateEndpoint {
        url: required("url", endpoint_url::ABOUT, |value| endpoint_url::read(value, allow_private)),
        enabled_events: required("enabledEvents", ENABLED_EVENTS, enabled_events),
        description: optional("description", DESCRIPTION, read::line),
    })
}

pub(super) fn enabled_events(value: Value<'_>) -> Option<EventSelection> {
    const RULE: &str = "Each item must be a type of event, a prefix such as payment.*, or *, and must not be repeated.";

    let value = value.keywords(|| [("uniqueItems", json!(true))]);
    let patterns = value.list(1..=EventSelection::MAX, |item| item.named("EventSelector", selector))?;
    match EventSelection::parse(&patterns) {
        Ok(selection) => Some(selection),
        Err(index) => value.invalid_item(index, RULE),
    }
}

/// Reads a pattern of events, which the selection checks.
fn selector(value: Value<'_>) -> Option<String> {
    let schema = || {
        let patterns = event_patterns();
        let choice = schema::choice(patterns.iter().map(String::as_str).chain(["*"]));
        schema::with_description(
            choice,
            "Type of event, all types of one object as `payment.*`, or `*` for all events.",
        )
    };
    value.parsed(schema, |text| Some(text.to_owned()), "")
}

/// Returns each type of event, after the prefixes of the types such as `payment.*`.
pub(crate) fn event_patterns() -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for kind in codes::<EventKind>() {
        let (object, _) = kind.split_once('.').unwrap_or_default();
        let prefix = format!("{object}.*");
        if !patterns.contains(&prefix) {
            patterns.push(prefix);
        }
    }
    patterns.extend(codes::<EventKind>().map(str::to_owned));
    patterns
}
