//! `PATCH /webhook_endpoints/{webhookEndpointId}`.

use domain::{Refusal, webhook::UpdateEndpoint};

use super::{
    create_webhook_endpoint::{DESCRIPTION, ENABLED_EVENTS, enabled_events},
    endpoint_url,
};
use crate::{
    json::Json,
    read::{self, Object},
};

/// Parses the changes. `allow_private` also accepts loopback URLs, for the sandbox.
///
/// # Errors
///
/// `parameter_invalid`, with the field.
pub fn parse(body: &Json, allow_private: bool) -> Result<UpdateEndpoint, Refusal> {
    read::request(body, |body| fields(body, allow_private))
}

pub(crate) fn fields(body: &mut Object<'_>, allow_private: bool) -> Option<UpdateEndpoint> {
    let url = body.optional("url", endpoint_url::ABOUT, |value| endpoint_url::read(value, allow_private));
    let enabled_events = body.optional("enabledEvents", ENABLED_EVENTS, enabled_events);
    let description = body.optional("description", DESCRIPTION, read::line);
    let status = body.optional(
        "status",
        "Deliveries that are pending while the endpoint is `disabled` are sent once it is `enabled` again.",
        |value| value.word(&["enabled", "disabled"]),
    );
    Some(UpdateEndpoint {
        url: url?,
        enabled_events: enabled_events?,
        description: description?,
        is_enabled: status?.map(|index| index == 0),
    })
}
