//! Mails that tell merchants of endpoints that were switched off. They are due, leased and put off like any other: see
//! `deliveries`.

use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_builder::AsChangeset};
use domain::webhook::SwitchOffMail;
use ports::{Change, Committed, SwitchOffName, Tenant, Unavailable};

use super::{Backend, Store};
use crate::{
    failure::{Refused, committed, unavailable},
    rows::{SwitchOffMailRow, SwitchOffMailingRow},
    schema::switch_off_mails,
    scope::Scope,
    time::millis,
    write::{Update, Write},
};

/// How a row is named.
pub(super) fn key(it: &SwitchOffName) -> (String, &'static str, String) {
    (it.tenant.merchant.to_string(), it.tenant.mode.as_str(), it.event.to_string())
}

pub(super) async fn find(store: &Store, it: &SwitchOffName) -> Result<Option<SwitchOffMail>, Unavailable> {
    let query = switch_off_mails::table.find(key(it)).select(SwitchOffMailRow::as_select());
    let row: Option<SwitchOffMailRow> = store.load(Scope::of(&it.tenant), query).await?.pop();
    row.map(SwitchOffMail::try_from).transpose().map_err(unavailable)
}

pub(super) async fn count_since(store: &Store, tenant: &Tenant, since: DateTime<Utc>) -> Result<u64, Unavailable> {
    let query = switch_off_mails::table
        .filter(switch_off_mails::merchant.eq(tenant.merchant.to_string()))
        .filter(switch_off_mails::mode.eq(tenant.mode.as_str()))
        .filter(switch_off_mails::told_at.ge(millis(since)))
        .filter(switch_off_mails::email.is_not_null())
        .count();
    let counted: Vec<i64> = store.load(Scope::of(tenant), query).await?;
    Ok(counted.into_iter().next().and_then(|it| u64::try_from(it).ok()).unwrap_or_default())
}

/// One that is new.
pub(super) fn write_new(mail: &SwitchOffMail) -> Write<Backend> {
    Write::or(Refused::Stale, diesel::insert_into(switch_off_mails::table).values(SwitchOffMailRow::from(mail)))
}

/// How far one has come, unless it has come further.
pub(super) async fn write_move(store: &Store, change: &Change<SwitchOffMail>) -> Result<Committed, Unavailable> {
    let Change { to: mail, based_on, lease_until } = change;
    let tenant = Tenant { merchant: mail.endpoint.merchant.clone(), mode: mail.endpoint.mode };
    let only = switch_off_mails::merchant
        .eq(tenant.merchant.to_string())
        .and(switch_off_mails::mode.eq(tenant.mode.as_str()))
        .and(switch_off_mails::event.eq(mail.event.to_string()))
        .and(switch_off_mails::version.eq(based_on.map_or(-1, i64::from)));
    let set = SwitchOffMailingRow::new(&mail.mailing, *lease_until).as_changeset();
    let write = Write::or(Refused::Stale, Update { table: "switch_off_mails", set, only });
    committed(store.apply(Scope::of(&tenant), vec![write]).await)
}
