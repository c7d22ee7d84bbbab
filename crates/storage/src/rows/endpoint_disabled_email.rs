use diesel::prelude::*;
use domain::{
    EventId,
    text::{BoundedText, Email},
    webhook::{EndpointDisabledEmail, Outage},
};
use ports::DisabledEmailId;

use super::{
    EndpointDisabledMailingRow, EndpointRow, Inconsistent, read_tenant,
    webhook_delivery::{read_result, result_text},
};
use crate::{
    records::{self, optional},
    schema::endpoint_disabled_emails,
    time::{instant, millis},
};

/// One row of `endpoint_disabled_emails`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = endpoint_disabled_emails, treat_none_as_default_value = false)]
pub(crate) struct EndpointDisabledEmailRow {
    merchant: String,
    mode: String,
    event: String,
    endpoint: String,
    occurred_at: i64,
    email: Option<String>,
    locale: String,
    failing_since: i64,
    last_result: String,
    snapshot: String,
    #[diesel(embed)]
    mailing: EndpointDisabledMailingRow,
}

/// Key of a row of `endpoint_disabled_emails`: merchant, mode and event.
pub(crate) type EndpointDisabledEmailKey = (String, String, String);

impl From<&EndpointDisabledEmail> for EndpointDisabledEmailRow {
    fn from(mail: &EndpointDisabledEmail) -> Self {
        let endpoint = &mail.endpoint;
        Self {
            merchant: endpoint.merchant.to_string(),
            mode: endpoint.mode.as_str().to_owned(),
            event: mail.event.to_string(),
            endpoint: endpoint.id.to_string(),
            occurred_at: millis(mail.at()),
            email: mail.to.as_ref().map(|it| it.as_str().to_owned()),
            locale: mail.locale.as_str().to_owned(),
            failing_since: millis(mail.outage.since),
            last_result: result_text(mail.outage.last),
            snapshot: records::text(&EndpointRow::from(endpoint)),
            mailing: EndpointDisabledMailingRow::new(&mail.mailing, None),
        }
    }
}

impl TryFrom<EndpointDisabledEmailRow> for EndpointDisabledEmail {
    type Error = Inconsistent;

    fn try_from(row: EndpointDisabledEmailRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("endpoint_disabled_emails", &row.event);
        let endpoint = records::read::<EndpointRow>(&row.snapshot).ok_or_else(|| broken("snapshot"))?;
        Ok(Self {
            event: EventId::parse(&row.event).ok_or_else(|| broken("event"))?,
            endpoint: endpoint.try_into()?,
            outage: Outage {
                since: instant(row.failing_since).ok_or_else(|| broken("failing_since"))?,
                last: read_result(&row.last_result).ok_or_else(|| broken("last_result"))?,
            },
            to: optional(row.email.as_deref(), Email::parse).ok_or_else(|| broken("email"))?,
            locale: BoundedText::parse(&row.locale).ok_or_else(|| broken("locale"))?,
            mailing: row.mailing.restore().map_err(broken)?,
        })
    }
}

pub(crate) fn restore_endpoint_disabled_email_key(
    (merchant, mode, event): EndpointDisabledEmailKey,
) -> Result<DisabledEmailId, Inconsistent> {
    let broken = Inconsistent::of("endpoint_disabled_emails", &event);
    Ok(DisabledEmailId {
        tenant: read_tenant(&merchant, &mode).ok_or_else(|| broken("merchant"))?,
        event: EventId::parse(&event).ok_or_else(|| broken("event"))?,
    })
}
