use diesel::prelude::*;
use domain::webhook::{EndpointDisabledEmail, Outage};
use ports::{DisabledEmailId, Tenant};

use super::{EndpointDisabledMailingRow, EndpointRow, Inconsistent, StoredRow, row};
use crate::{column::Column, records, schema::endpoint_disabled_emails};

/// One row of `endpoint_disabled_emails`, without the lease.
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

row! {
    /// Key of a row of `endpoint_disabled_emails`.
    EndpointDisabledEmailKey in endpoint_disabled_emails by event {
        merchant: String,
        mode: String,
        event: String,
    }
    DisabledEmailId { tenant: Tenant { merchant, mode }, event }
}

impl From<&EndpointDisabledEmail> for EndpointDisabledEmailRow {
    fn from(mail: &EndpointDisabledEmail) -> Self {
        let endpoint = &mail.endpoint;
        Self {
            merchant: endpoint.merchant.store(),
            mode: endpoint.mode.store(),
            event: mail.event.store(),
            endpoint: endpoint.id.store(),
            occurred_at: mail.at().store(),
            email: mail.to.store(),
            locale: mail.locale.store(),
            failing_since: mail.outage.since.store(),
            last_result: mail.outage.last.store(),
            snapshot: records::text(&EndpointRow::from(endpoint)),
            mailing: mail.mailing.store(),
        }
    }
}

impl StoredRow for EndpointDisabledEmailRow {
    type Value = EndpointDisabledEmail;

    fn restore(self) -> Result<EndpointDisabledEmail, Inconsistent> {
        let broken = Inconsistent::of("endpoint_disabled_emails", &self.event);
        let endpoint = records::read::<EndpointRow>(&self.snapshot).ok_or_else(|| broken("snapshot"))?;
        Ok(EndpointDisabledEmail {
            event: Column::load(self.event, "event").map_err(&broken)?,
            endpoint: endpoint.restore()?,
            outage: Outage {
                since: Column::load(self.failing_since, "failing_since").map_err(&broken)?,
                last: Column::load(self.last_result, "last_result").map_err(&broken)?,
            },
            to: Option::load(self.email, "email").map_err(&broken)?,
            locale: Column::load(self.locale, "locale").map_err(&broken)?,
            mailing: Column::load(self.mailing, "status").map_err(&broken)?,
        })
    }
}
