use domain::webhook;
use serde::Serialize;

use super::Timestamp;

/// Where a merchant hears of events. It has no `Debug`: whoever knows its secret can forge them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEndpointResponse<'a> {
    id: &'a str,
    object: &'static str,
    url: &'a str,
    enabled_events: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_reason: Option<&'static str>,
    is_live_mode: bool,
    api_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signing_secret: Option<&'a str>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> WebhookEndpointResponse<'a> {
    /// The answer to its registration, or to a rotation: nothing else shows the secret.
    pub fn created(endpoint: &'a webhook::WebhookEndpoint, signing_secret: &'a str) -> Self {
        Self { signing_secret: Some(signing_secret), ..endpoint.into() }
    }
}

impl<'a> From<&'a webhook::WebhookEndpoint> for WebhookEndpointResponse<'a> {
    fn from(endpoint: &'a webhook::WebhookEndpoint) -> Self {
        Self {
            id: endpoint.id.as_str(),
            object: "webhook_endpoint",
            url: endpoint.url.as_str(),
            enabled_events: endpoint.enabled_events.patterns(),
            description: endpoint.description.as_ref().map(|it| it.as_str()),
            status: if endpoint.disabled.is_some() { "disabled" } else { "enabled" },
            disabled_reason: endpoint.disabled.map(webhook::DisabledReason::as_str),
            is_live_mode: endpoint.mode.is_live(),
            api_version: "v1",
            signing_secret: None,
            created_at: endpoint.created_at.into(),
            updated_at: endpoint.updated_at.into(),
        }
    }
}

/// The name of an endpoint that is no more.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeletedEndpointResponse<'a> {
    id: &'a str,
    object: &'static str,
    is_deleted: bool,
}

impl<'a> From<&'a webhook::WebhookEndpoint> for DeletedEndpointResponse<'a> {
    fn from(endpoint: &'a webhook::WebhookEndpoint) -> Self {
        Self { id: endpoint.id.as_str(), object: "webhook_endpoint", is_deleted: true }
    }
}
