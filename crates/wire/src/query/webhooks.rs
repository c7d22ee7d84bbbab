//! `GET /webhook_endpoints` and `GET /webhook_endpoints/{webhookEndpointId}/deliveries`.

use domain::{Refusal, webhook::WebhookDeliveryStatus};

use super::{filters::Filters, page, parameters};
use crate::read::{self, Object};

/// Page of a list without filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    /// 1 to 100.
    pub limit: u16,
    /// Cursor as sent.
    pub cursor: Option<String>,
    /// Canonical text of the list, to which a cursor is bound.
    pub filters: String,
}

impl PageQuery {
    /// Parses the page of the list that `filters` names.
    pub(super) fn parse(raw: &str, filters: String) -> Result<Self, Refusal> {
        let page = read::request(&parameters(raw)?, page)?;
        Ok(Self { limit: page.limit, cursor: page.cursor, filters })
    }
}

/// Filters and page of the deliveries of a webhook endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDeliveryQuery {
    /// Status of the deliveries.
    pub status: Option<&'static str>,
    /// 1 to 100.
    pub limit: u16,
    /// Cursor as sent.
    pub cursor: Option<String>,
    /// Canonical text of the filters, to which a cursor is bound.
    pub filters: String,
}

/// Parses the query of `GET /webhook_endpoints`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn webhook_endpoints(raw: &str) -> Result<PageQuery, Refusal> {
    PageQuery::parse(raw, Filters::of("webhook_endpoints").finish())
}

/// Parses the query of `GET /webhook_endpoints/{webhookEndpointId}/deliveries`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn webhook_deliveries(raw: &str, endpoint: &str) -> Result<WebhookDeliveryQuery, Refusal> {
    let query = read::request(&parameters(raw)?, deliveries)?;
    let filters = Filters::of("webhook_deliveries")
        .text("webhookEndpointId", Some(endpoint))
        .text("status", query.status)
        .finish();
    Ok(WebhookDeliveryQuery { filters, ..query })
}

pub(crate) fn deliveries(query: &mut Object<'_>) -> Option<WebhookDeliveryQuery> {
    let page = page(query);
    let words = WebhookDeliveryStatus::WORDS;
    let status = query.optional("status", "Status of the deliveries.", |value| value.word(&words));
    let (page, status) = (page?, status?.map(|index| words[index]));
    Some(WebhookDeliveryQuery { status, limit: page.limit, cursor: page.cursor, filters: String::new() })
}
