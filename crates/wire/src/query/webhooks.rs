//! `GET /webhook_endpoints` and `GET /webhook_endpoints/{webhookEndpointId}/deliveries`.

use domain::{Refusal, listing::PageRequest, webhook::WebhookDeliveryStatus};

use super::{filters::Filters, only_page, page, parameters};
use crate::read::{self, Object};

/// Parses the query of `GET /webhook_endpoints`.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn webhook_endpoints(raw: &str) -> Result<PageRequest, Refusal> {
    only_page(raw, Filters::of("webhook_endpoints").finish())
}

/// Parses the query of `GET /webhook_endpoints/{webhookEndpointId}/deliveries`: the status, and the page.
///
/// # Errors
///
/// `parameter_invalid`, with the parameter if the name is plain.
pub fn webhook_deliveries(raw: &str, endpoint: &str) -> Result<(Option<&'static str>, PageRequest), Refusal> {
    let (status, page) = read::request(&parameters(raw)?, deliveries)?;
    let mut filters = Filters::of("webhook_deliveries");
    let filters = filters.text("webhookEndpointId", Some(endpoint)).text("status", status).finish();
    Ok((status, PageRequest { filters, ..page }))
}

pub(crate) fn deliveries(query: &mut Object<'_>) -> Option<(Option<&'static str>, PageRequest)> {
    let page = page(query);
    let words = WebhookDeliveryStatus::WORDS;
    let status = query.optional("status", "Status of the deliveries.", |value| value.word(&words));
    Some((status?.map(|index| words[index]), page?))
}
