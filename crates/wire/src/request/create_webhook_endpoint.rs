//! `POST /webhook_endpoints`.

use domain::{
    Refusal,
    text::BoundedText,
    webhook::{EndpointUrl, EventSelection},
};

use super::endpoint_address;
use crate::{
    json::Json,
    read::{self, Value},
};

/// A wish to hear of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpointRequest {
    /// Where.
    pub url: EndpointUrl,
    /// Of which.
    pub enabled_events: EventSelection,
    /// The merchant's own note.
    pub description: Option<BoundedText<1, 256>>,
}

/// The wish in `body`. With `allow_private`, the address may also be one of this very machine: a sandbox's merchant
/// listens there.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json, allow_private: bool) -> Result<WebhookEndpointRequest, Refusal> {
    read::request(body, |it| {
        let url = it.required("url", |value| endpoint_address::url(value, allow_private));
        let enabled_events = it.required("enabledEvents", enabled_events);
        let description = it.optional("description", read::line);
        Some(WebhookEndpointRequest { url: url?, enabled_events: enabled_events?, description: description? })
    })
}

pub(super) fn enabled_events(value: Value<'_>) -> Option<EventSelection> {
    const RULE: &str = "Each item must be a kind of event, a prefix such as payment.*, or *, and none may occur twice.";

    let patterns = value.list(EventSelection::MAX, |item| item.text().map(str::to_owned))?;
    if patterns.is_empty() {
        return value.invalid("There must be at least one item.");
    }
    match EventSelection::parse(&patterns) {
        Ok(selection) => Some(selection),
        Err(place) => value.invalid_item(place, RULE),
    }
}
