//! `GET /webhook_endpoints`, and what was sent to one of them.

use domain::{Refusal, webhook::WebhookDeliveryStatus};

use super::{cursor, filters::Filters, limit, parameters};
use crate::read;

/// Which part of a list that has no filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    /// 1 to 100.
    pub limit: u16,
    /// As sent.
    pub cursor: Option<String>,
    /// Which list it is, in one canonical text that a cursor can be bound to.
    pub filters: String,
}

/// Which deliveries, and which part of their list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDeliveryQuery {
    /// Those that stand so.
    pub status: Option<&'static str>,
    /// 1 to 100.
    pub limit: u16,
    /// As sent.
    pub cursor: Option<String>,
    /// Everything but the last two, in one canonical text that a cursor can be bound to.
    pub filters: String,
}

/// What the query `raw` of `GET /webhook_endpoints` asks for.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if its name is plain.
pub fn webhook_endpoints(raw: &str) -> Result<PageQuery, Refusal> {
    read::request(&parameters(raw)?, |it| {
        let limit = limit(it);
        let cursor = it.optional("cursor", cursor);
        Some(PageQuery { limit: limit?, cursor: cursor?, filters: Filters::of("webhook_endpoints").finish() })
    })
}

/// What the query `raw` of `GET /webhook_endpoints/{webhookEndpointId}/deliveries` asks for.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if its name is plain.
pub fn webhook_deliveries(raw: &str, endpoint: &str) -> Result<WebhookDeliveryQuery, Refusal> {
    read::request(&parameters(raw)?, |it| {
        let limit = limit(it);
        let cursor = it.optional("cursor", cursor);
        let status = it.optional("status", |value| value.one_of(status))?;
        let filters =
            Filters::of("webhook_deliveries").text("webhookEndpointId", Some(endpoint)).text("status", status).finish();
        Some(WebhookDeliveryQuery { status, limit: limit?, cursor: cursor?, filters })
    })
}

fn status(text: &str) -> Option<&'static str> {
    WebhookDeliveryStatus::WORDS.into_iter().find(|it| *it == text)
}
