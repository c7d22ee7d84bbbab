use diesel::prelude::*;
use domain::{
    EventId, EventKind, RequestId,
    event::{EventRecord, Subject},
    webhook::WebhookEndpoint,
};

use super::{EndpointRow, Inconsistent};
use crate::{
    records::{self, optional},
    schema::notices,
    time::{instant, millis},
};

/// One row of `notices`: an event of no payment.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = notices, treat_none_as_default_value = false)]
pub(crate) struct NoticeRow {
    merchant: String,
    mode: String,
    id: String,
    kind: String,
    endpoint: String,
    request: Option<String>,
    occurred_at: i64,
    snapshot: String,
}

impl NoticeRow {
    /// What is kept of `event`, which is about `endpoint`.
    pub(crate) fn new(event: &EventRecord, endpoint: &WebhookEndpoint) -> Self {
        Self {
            merchant: endpoint.merchant.as_str().to_owned(),
            mode: endpoint.mode.as_str().to_owned(),
            id: event.id.as_str().to_owned(),
            kind: event.kind.as_str().to_owned(),
            endpoint: endpoint.id.as_str().to_owned(),
            request: event.request.as_ref().map(|it| it.as_str().to_owned()),
            occurred_at: millis(event.created_at),
            snapshot: records::text(&EndpointRow::from(endpoint)),
        }
    }
}

impl TryFrom<NoticeRow> for EventRecord {
    type Error = Inconsistent;

    fn try_from(row: NoticeRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("notices", &row.id);
        let endpoint = records::read::<EndpointRow>(&row.snapshot).ok_or_else(|| broken("snapshot"))?;
        Ok(Self {
            id: EventId::parse(&row.id).ok_or_else(|| broken("id"))?,
            kind: EventKind::from_code(&row.kind).ok_or_else(|| broken("kind"))?,
            created_at: instant(row.occurred_at).ok_or_else(|| broken("occurred_at"))?,
            request: optional(row.request.as_deref(), RequestId::parse).ok_or_else(|| broken("request"))?,
            subject: Subject::Endpoint(Box::new(endpoint.try_into()?)),
        })
    }
}
