//! `PATCH /webhook_endpoints/{webhookEndpointId}`.

use domain::{
    Refusal,
    text::BoundedText,
    webhook::{EndpointUrl, EventSelection},
};

use super::{create_webhook_endpoint::enabled_events, endpoint_address};
use crate::{json::Json, read};

/// What is to be different; what is `None` stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpointUpdate {
    /// Where.
    pub url: Option<EndpointUrl>,
    /// Of which.
    pub enabled_events: Option<EventSelection>,
    /// The merchant's own note.
    pub description: Option<BoundedText<1, 256>>,
    /// Whether anything is sent.
    pub is_enabled: Option<bool>,
}

/// The changes in `body`. With `allow_private`, the address may also be one of this very machine.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json, allow_private: bool) -> Result<WebhookEndpointUpdate, Refusal> {
    read::request(body, |it| {
        let url = it.optional("url", |value| endpoint_address::url(value, allow_private));
        let enabled_events = it.optional("enabledEvents", enabled_events);
        let description = it.optional("description", read::line);
        let is_enabled = it.optional("status", |value| value.one_of(status));
        Some(WebhookEndpointUpdate {
            url: url?,
            enabled_events: enabled_events?,
            description: description?,
            is_enabled: is_enabled?,
        })
    })
}

fn status(text: &str) -> Option<bool> {
    match text {
        "enabled" => Some(true),
        "disabled" => Some(false),
        _ => None,
    }
}
