//! `PATCH /webhook_endpoints/{webhookEndpointId}`.

use domain::{Refusal, webhook::UpdateEndpoint};

use super::{
    create_webhook_endpoint::{DESCRIPTION, ENABLED_EVENTS, enabled_events},
    endpoint_url,
};
use crate::{
    json::Json,
    read::{self, Object, read_fields},
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
    read_fields!(body => UpdateEndpoint {
        url: optional("url", endpoint_url::ABOUT, |value| endpoint_url::read(value, allow_private)),
        enabled_events: optional("enabledEvents", ENABLED_EVENTS, enabled_events),
        description: optional("description", DESCRIPTION, read::line),
        /// Deliveries that are pending while the endpoint is `disabled` are sent once it is `enabled` again.
        is_enabled: optional("status", |value| value.word(&["enabled", "disabled"]).map(|index| index == 0)),
    })
}
