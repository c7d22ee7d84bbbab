use diesel::prelude::*;
use domain::{
    account::Readiness,
    event::{AccountEvent, EventRecord, Subject},
    webhook::WebhookEndpoint,
};
use ports::Tenant;
use serde::{Deserialize, Serialize};

use super::{AccountRow, EndpointRow, Inconsistent, StoredRow};
use crate::{
    column::Column,
    records::{self, Own},
    schema::account_events,
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
    /// Returns the row of `event`.
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
            merchant: tenant.merchant.store(),
            mode: tenant.mode.store(),
            id: event.id.store(),
            kind: event.kind.store(),
            endpoint,
            account,
            request: event.request.store(),
            occurred_at: event.created_at.store(),
            snapshot,
        }
    }

    fn subject(&self) -> Result<Subject, Inconsistent> {
        let broken = || Inconsistent::of("account_events", &self.id)("snapshot");
        if self.account.is_none() {
            let endpoint = records::read::<EndpointRow>(&self.snapshot).ok_or_else(broken)?;
            return Ok(Subject::Endpoint(Box::new(endpoint.restore()?)));
        }
        let AccountSnapshot { account, readiness: Own(readiness), previous_status } =
            records::read(&self.snapshot).ok_or_else(broken)?;
        Ok(Subject::Account(Box::new(AccountEvent { account: account.restore()?, readiness, previous_status })))
    }
}

impl StoredRow for AccountEventRow {
    type Value = EventRecord;

    fn restore(self) -> Result<EventRecord, Inconsistent> {
        let broken = Inconsistent::of("account_events", &self.id);
        let subject = self.subject()?;
        Ok(EventRecord {
            id: Column::load(self.id, "id").map_err(&broken)?,
            kind: Column::load(self.kind, "kind").map_err(&broken)?,
            created_at: Column::load(self.occurred_at, "occurred_at").map_err(&broken)?,
            request: Option::load(self.request, "request").map_err(&broken)?,
            subject,
        })
    }
}
