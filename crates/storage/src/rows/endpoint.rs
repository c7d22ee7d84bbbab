use diesel::prelude::*;
use domain::{
    WebhookEndpointId,
    text::BoundedText,
    webhook::{DisabledReason, EndpointUrl, EventSelection, WebhookEndpoint},
};
use ports::Recipient;
use serde::{Deserialize, Serialize};

use super::{Inconsistent, counter, read_tenant};
use crate::{
    records::{self, optional},
    schema::webhook_endpoints,
    time::{instant, millis},
};

/// One row of `webhook_endpoints`, without the secrets, which only the signer reads.
#[derive(Queryable, Selectable, Insertable, AsChangeset, Serialize, Deserialize)]
#[diesel(table_name = webhook_endpoints, treat_none_as_default_value = false, treat_none_as_null = true)]
pub(crate) struct EndpointRow {
    merchant: String,
    mode: String,
    id: String,
    url: String,
    enabled_events: String,
    description: Option<String>,
    disabled: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

impl From<&WebhookEndpoint> for EndpointRow {
    fn from(endpoint: &WebhookEndpoint) -> Self {
        Self {
            merchant: endpoint.merchant.as_str().to_owned(),
            mode: endpoint.mode.as_str().to_owned(),
            id: endpoint.id.as_str().to_owned(),
            url: endpoint.url.as_str().to_owned(),
            enabled_events: records::text(&endpoint.enabled_events.patterns()),
            description: endpoint.description.as_ref().map(|it| it.as_str().to_owned()),
            disabled: endpoint.disabled.map(|it| it.as_str().to_owned()),
            created_at: millis(endpoint.created_at),
            updated_at: millis(endpoint.updated_at),
            version: endpoint.version.into(),
        }
    }
}

impl TryFrom<EndpointRow> for WebhookEndpoint {
    type Error = Inconsistent;

    fn try_from(row: EndpointRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("webhook_endpoints", &row.id);
        row.restore().map_err(broken)
    }
}

impl EndpointRow {
    fn restore(&self) -> Result<WebhookEndpoint, &'static str> {
        let tenant = read_tenant(&self.merchant, &self.mode).ok_or("merchant")?;
        let patterns = records::read::<Vec<String>>(&self.enabled_events).ok_or("enabled_events")?;
        Ok(WebhookEndpoint {
            id: WebhookEndpointId::parse(&self.id).ok_or("id")?,
            merchant: tenant.merchant,
            mode: tenant.mode,
            url: EndpointUrl::parse(&self.url).ok_or("url")?,
            enabled_events: EventSelection::parse(&patterns).map_err(|_| "enabled_events")?,
            description: optional(self.description.as_deref(), BoundedText::parse).ok_or("description")?,
            disabled: optional(self.disabled.as_deref(), DisabledReason::from_code).ok_or("disabled")?,
            created_at: instant(self.created_at).ok_or("created_at")?,
            updated_at: instant(self.updated_at).ok_or("updated_at")?,
            version: counter(self.version).ok_or("version")?,
        })
    }
}

/// Columns for the sender of webhooks: the secret, the previous secret with the end, and the time since when the endpoint
/// fails.
pub(crate) type Sending = (Vec<u8>, Option<Vec<u8>>, Option<i64>, Option<i64>);

pub(crate) fn restore_recipient(
    (row, (sealed_secret, previous, until, failing)): (EndpointRow, Sending),
) -> Result<Recipient, Inconsistent> {
    let broken = Inconsistent::of("webhook_endpoints", &row.id);
    let until = optional(until, instant).ok_or_else(|| broken("previous_until"))?;
    let failing_since = optional(failing, instant).ok_or_else(|| broken("failing_since"))?;
    Ok(Recipient { endpoint: row.try_into()?, sealed_secret, previous: previous.zip(until), failing_since })
}
