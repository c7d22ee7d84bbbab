use domain::{
    WebhookEndpointId,
    webhook::{self, DisabledReason},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{ApiVersion, Coded, Id, Text, Timestamp, WebhookEndpointObject};

// Without `Debug`, because the secret forges events.
/// Endpoint that receives events.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookEndpoint")]
pub struct WebhookEndpointResponse<'a> {
    /// Identifier of the endpoint.
    id: Id<'a, WebhookEndpointId>,
    /// Type of the object.
    object: WebhookEndpointObject,
    /// https URL that receives the events.
    #[schemars(url)]
    url: &'a str,
    /// Events that the endpoint receives: types, prefixes such as `payment.*`, or `*` for all.
    enabled_events: &'a [String],
    /// The merchant's own note on the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Text<'a, 1, 256>>,
    /// Whether events are delivered.
    #[schemars(extend("enum" = ["enabled", "disabled"]))]
    status: &'static str,
    /// Why the endpoint is disabled. Present if `status` is `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_reason: Option<Coded<DisabledReason>>,
    /// Whether the endpoint belongs to live mode.
    is_live_mode: bool,
    /// Version of the API that defines the events.
    api_version: ApiVersion,
    /// Secret that signs deliveries (Standard Webhooks). Only the responses of creation and rotation contain the secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^whsec_[A-Za-z0-9+/]+=*$"))]
    signing_secret: Option<&'a str>,
    /// When the endpoint was created.
    created_at: Timestamp,
    /// When the endpoint last changed.
    updated_at: Timestamp,
}

impl<'a> WebhookEndpointResponse<'a> {
    /// Returns the endpoint with a new signing secret.
    pub fn created(endpoint: &'a webhook::WebhookEndpoint, signing_secret: &'a str) -> Self {
        Self { signing_secret: Some(signing_secret), ..endpoint.into() }
    }
}

impl<'a> From<&'a webhook::WebhookEndpoint> for WebhookEndpointResponse<'a> {
    fn from(endpoint: &'a webhook::WebhookEndpoint) -> Self {
        Self {
            id: (&endpoint.id).into(),
            object: WebhookEndpointObject,
            url: endpoint.url.as_str(),
            enabled_events: endpoint.enabled_events.patterns(),
            description: endpoint.description.as_ref().map(Text::from),
            status: if endpoint.disabled.is_some() { "disabled" } else { "enabled" },
            disabled_reason: endpoint.disabled.map(Coded::from),
            is_live_mode: endpoint.mode.is_live(),
            api_version: ApiVersion,
            signing_secret: None,
            created_at: endpoint.created_at.into(),
            updated_at: endpoint.updated_at.into(),
        }
    }
}

/// Endpoint that was deleted.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeletedEndpoint")]
pub struct DeletedEndpointResponse<'a> {
    /// Identifier of the endpoint.
    id: Id<'a, WebhookEndpointId>,
    /// Type of the object.
    object: WebhookEndpointObject,
    /// Always true.
    is_deleted: bool,
}

impl<'a> From<&'a webhook::WebhookEndpoint> for DeletedEndpointResponse<'a> {
    fn from(endpoint: &'a webhook::WebhookEndpoint) -> Self {
        Self { id: (&endpoint.id).into(), object: WebhookEndpointObject, is_deleted: true }
    }
}
