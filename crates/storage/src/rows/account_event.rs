use diesel::prelude::*;
use domain::{
    EventId, EventKind, RequestId,
    account::Readiness,
    event::{AccountEvent, EventRecord, Subject},
    webhook::WebhookEndpoint,
};
use ports::Tenant;
use serde::{Deserialize, Serialize};

use super::{AccountRow, EndpointRow, Inconsistent};
use crate::{
    records::{self, Own, optional},
    schema::account_events,
    time::{instant, millis},
};

/// One row of `account_events`: an event of an endpoint or an account.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = account_events, treat_none_as_default_value = false)]
pub(crate) struct AccountEventRow {
    merchant: String,
    mode: String,
    id: String,
    kind: String,
    endpoint: Option<String>,
    account: Option<String>,
    request: Option<String>,
    occurred_at: i64,
    snapshot: String,
}

/// The subject of an event in `account_events`.
pub(crate) enum About<'a> {
    Endpoint(&'a WebhookEndpoint),
    Account(&'a AccountEvent),
}

/// An account with the readiness after the event.
#[derive(Serialize, Deserialize)]
struct AccountSnapshot {
    account: AccountRow,
    readiness: Own<Readiness>,
    previous_status: String,
}

impl AccountEventRow {
    /// The row of `event`.
    pub(crate) fn new(tenant: &Tenant, event: &EventRecord, about: &About<'_>) -> Self {
        let (endpoint, account, snapshot) = match about {
            About::Endpoint(it) => (Some(it.id.to_string()), None, records::text(&EndpointRow::from(*it))),
            About::Account(it) => {
                let snapshot = AccountSnapshot {
                    account: (&it.account).into(),
                    readiness: Own(it.readiness.clone()),
                    previous_status: it.previous_status.clone(),
                };
                (None, Some(it.account.id.to_string()), records::text(&snapshot))
            }
        };
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            id: event.id.as_str().to_owned(),
            kind: event.kind.as_str().to_owned(),
            endpoint,
            account,
            request: event.request.as_ref().map(|it| it.as_str().to_owned()),
            occurred_at: millis(event.created_at),
            snapshot,
        }
    }

    fn subject(&self) -> Result<Subject, Inconsistent> {
        let broken = || Inconsistent::of("account_events", &self.id)("snapshot");
        if self.account.is_none() {
            let endpoint = records::read::<EndpointRow>(&self.snapshot).ok_or_else(broken)?;
            return Ok(Subject::Endpoint(Box::new(endpoint.try_into()?)));
        }
        let AccountSnapshot { account, readiness: Own(readiness), previous_status } =
            records::read(&self.snapshot).ok_or_else(broken)?;
        Ok(Subject::Account(Box::new(AccountEvent { account: account.try_into()?, readiness, previous_status })))
    }
}

impl TryFrom<AccountEventRow> for EventRecord {
    type Error = Inconsistent;

    fn try_from(row: AccountEventRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("account_events", &row.id);
        Ok(Self {
            id: EventId::parse(&row.id).ok_or_else(|| broken("id"))?,
            kind: EventKind::from_code(&row.kind).ok_or_else(|| broken("kind"))?,
            created_at: instant(row.occurred_at).ok_or_else(|| broken("occurred_at"))?,
            request: optional(row.request.as_deref(), RequestId::parse).ok_or_else(|| broken("request"))?,
            subject: row.subject()?,
        })
    }
}
