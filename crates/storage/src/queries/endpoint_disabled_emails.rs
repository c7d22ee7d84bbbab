//! E-mails to merchants about disabled endpoints. They are claimed and postponed as all e-mails are: see
//! `document_emails`.

use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_builder::AsChangeset};
use domain::webhook::EndpointDisabledEmail;
use ports::{Change, Committed, DisabledEmailId, Tenant, Unavailable};

use super::{Backend, Store};
use crate::{
    failure::{Refused, committed, unavailable},
    rows::{EndpointDisabledEmailRow, EndpointDisabledMailingRow},
    schema::endpoint_disabled_emails,
    scope::Scope,
    time::millis,
    write::{Update, Write},
};

/// The key of a row.
pub(super) fn key(it: &DisabledEmailId) -> (String, &'static str, String) {
    (it.tenant.merchant.to_string(), it.tenant.mode.as_str(), it.event.to_string())
}

pub(super) async fn find(store: &Store, it: &DisabledEmailId) -> Result<Option<EndpointDisabledEmail>, Unavailable> {
    let query = endpoint_disabled_emails::table.find(key(it)).select(EndpointDisabledEmailRow::as_select());
    let row: Option<EndpointDisabledEmailRow> = store.load(Scope::of(&it.tenant), query).await?.pop();
    row.map(EndpointDisabledEmail::try_from).transpose().map_err(unavailable)
}

pub(super) async fn count_since(store: &Store, tenant: &Tenant, since: DateTime<Utc>) -> Result<u64, Unavailable> {
    let query = endpoint_disabled_emails::table
        .filter(endpoint_disabled_emails::merchant.eq(tenant.merchant.to_string()))
        .filter(endpoint_disabled_emails::mode.eq(tenant.mode.as_str()))
        .filter(endpoint_disabled_emails::occurred_at.ge(millis(since)))
        .filter(endpoint_disabled_emails::email.is_not_null())
        .count();
    let counted: Vec<i64> = store.load(Scope::of(tenant), query).await?;
    Ok(counted.into_iter().next().and_then(|it| u64::try_from(it).ok()).unwrap_or_default())
}

/// Writes a new e-mail.
pub(super) fn write_new(mail: &EndpointDisabledEmail) -> Write<Backend> {
    Write::or(
        Refused::Stale,
        diesel::insert_into(endpoint_disabled_emails::table).values(EndpointDisabledEmailRow::from(mail)),
    )
}

/// Writes the progress of an e-mail, unless the e-mail has changed since.
pub(super) async fn write_move(
    store: &Store,
    change: &Change<EndpointDisabledEmail>,
) -> Result<Committed, Unavailable> {
    let Change { to: mail, based_on, lease_until } = change;
    let tenant = Tenant { merchant: mail.endpoint.merchant.clone(), mode: mail.endpoint.mode };
    let only = endpoint_disabled_emails::merchant
        .eq(tenant.merchant.to_string())
        .and(endpoint_disabled_emails::mode.eq(tenant.mode.as_str()))
        .and(endpoint_disabled_emails::event.eq(mail.event.to_string()))
        .and(endpoint_disabled_emails::version.eq(based_on.map_or(-1, i64::from)));
    let set = EndpointDisabledMailingRow::new(&mail.mailing, *lease_until).as_changeset();
    let write = Write::or(Refused::Stale, Update { table: "endpoint_disabled_emails", set, only });
    committed(store.apply(Scope::of(&tenant), vec![write]).await)
}
