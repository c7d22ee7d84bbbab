//! E-mails to merchants about disabled endpoints. They are claimed and postponed as all e-mails are: see
//! `document_emails`.

use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_builder::AsChangeset};
use domain::webhook::EndpointDisabledEmail;
use ports::{Change, Committed, DisabledEmailId, Tenant, Unavailable};

use super::{
    Backend, Store,
    filters::{key, only},
};
use crate::{
    failure::{Refused, committed},
    rows::{EndpointDisabledEmailRow, EndpointDisabledMailingRow},
    schema::endpoint_disabled_emails,
    scope::Scope,
    time::millis,
    write::{Update, Write},
};

pub(super) async fn find(store: &Store, it: &DisabledEmailId) -> Result<Option<EndpointDisabledEmail>, Unavailable> {
    let key = key(&it.tenant, &it.event);
    let query = endpoint_disabled_emails::table.find(key).select(EndpointDisabledEmailRow::as_select());
    store.one(Scope::of(&it.tenant), query).await
}

pub(super) async fn count_since(store: &Store, tenant: &Tenant, since: DateTime<Utc>) -> Result<u64, Unavailable> {
    let query = endpoint_disabled_emails::table
        .filter(only!(endpoint_disabled_emails, tenant))
        .filter(endpoint_disabled_emails::occurred_at.ge(millis(since)))
        .filter(endpoint_disabled_emails::email.is_not_null())
        .count();
    store.count(Scope::of(tenant), query).await
}

/// Writes a new e-mail.
pub(super) fn write_new(mail: &EndpointDisabledEmail) -> Write<Backend> {
    let row = EndpointDisabledEmailRow::from(mail);
    Write::or(Refused::Stale, diesel::insert_into(endpoint_disabled_emails::table).values(row))
}

/// Writes the progress of an e-mail, unless the e-mail has changed since.
pub(super) async fn write_move(
    store: &Store,
    change: &Change<EndpointDisabledEmail>,
) -> Result<Committed, Unavailable> {
    let Change { to: mail, based_on, lease_until } = change;
    let endpoint = &mail.endpoint;
    let tenant = Tenant { merchant: endpoint.merchant.clone(), mode: endpoint.mode };
    let version = based_on.map_or(-1, i64::from);
    let only = only!(endpoint_disabled_emails, tenant, event = mail.event.to_string(), version = version);
    let lease = endpoint_disabled_emails::lease_until.eq(lease_until.map(millis));
    let set = (EndpointDisabledMailingRow::from(&mail.mailing), lease).as_changeset();
    let write = Write::or(Refused::Stale, Update { table: "endpoint_disabled_emails", set, only });
    committed(store.apply(Scope::of(&tenant), vec![write]).await)
}
