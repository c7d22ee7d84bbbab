//! Readiness of accounts, and the events about changes.

use diesel::{prelude::*, query_builder::AsChangeset};
use domain::{
    account::{NotifiedReadiness, ReadinessChange},
    event::Subject,
};
use ports::Tenant;

use super::{Backend, enqueue::Enqueue, filters::only};
use crate::{
    failure::Refused,
    rows::{About, AccountEventRow},
    schema::{account_events, accounts},
    write::{Update, Write},
};

/// Claims accounts by a column with their due time. Only one of several concurrent claims moves the time.
macro_rules! claim_by {
    ($store:ident, $column:path, $now:ident, $until:ident, $limit:ident) => {{
        let due = accounts::table.filter($column.le(millis($now))).order($column).limit($limit.into());
        let query = due.select((accounts::merchant, accounts::mode, accounts::id));
        let rows: Vec<Key> = $store.load(Scope::WORK, query).await?;
        let mut claimed = Vec::new();
        for row in rows {
            let (tenant, account) = restore_key("accounts", row).map_err(unavailable)?;
            let row = accounts::table.find(key(&tenant, &account)).filter($column.le(millis($now)));
            let claim = diesel::update(row).set($column.eq(millis($until)));
            let is_claimed = $store.execute(Scope::of(&tenant), claim).await? == 1;
            claimed.extend(is_claimed.then_some((tenant, account)));
        }
        Ok(claimed)
    }};
}
pub(super) use claim_by;

/// Writes the readiness of the last event, and the event, unless another event was written meanwhile.
pub(super) fn write_change(tenant: &Tenant, change: &ReadinessChange) -> Vec<Write<Backend>> {
    let set = accounts::notified_readiness.eq(text(change.account.notified.as_ref())).as_changeset();
    let (id, notified) = (change.account.id.to_string(), text(change.based_on.as_ref()));
    let only = only!(accounts, tenant, id = id, notified_readiness = notified);
    let mut writes: Vec<Write<Backend>> = vec![Write::or(Refused::Stale, Update { table: "accounts", set, only })];
    writes.extend(write_event(tenant, change));
    writes
}

/// Writes and enqueues the event of a change.
pub(super) fn write_event(tenant: &Tenant, change: &ReadinessChange) -> Vec<Write<Backend>> {
    let Some(event) = &change.event else { return Vec::new() };
    let Subject::Account(about) = &event.subject else { return Vec::new() };
    let row = AccountEventRow::new(tenant, event, &About::Account(about));
    let mut writes: Vec<Write<Backend>> =
        vec![Write::or(Refused::Stale, diesel::insert_into(account_events::table).values(row))];
    let enqueue = Enqueue::new(tenant, event.id.to_string(), event.created_at).and_other(event.kind);
    writes.extend(enqueue.write());
    writes
}

/// Value of the column `notified_readiness`: empty if there was no event yet.
pub(super) fn text(notified: Option<&NotifiedReadiness>) -> String {
    notified.map_or_else(String::new, |readiness| readiness.as_str().to_owned())
}
