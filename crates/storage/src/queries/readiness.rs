//! Readiness of accounts, and the events about changes.

use chrono::{DateTime, Utc};
use diesel::{dsl::auto_type, prelude::*, query_builder::AsChangeset};
use domain::{
    MerchantAccountId,
    account::{NotifiedReadiness, ReadinessChange},
    event::Subject,
};
use ports::{Tenant, Unavailable};

use super::{
    Backend, Store,
    enqueue::{Enqueue, EventSequence},
};
use crate::{
    failure::{Refused, unavailable},
    rows::{About, AccountEventRow, read_tenant},
    schema::{account_events, accounts},
    scope::Scope,
    time::millis,
    write::{Update, Write},
};

/// Merchant, mode and identifier of an account, and the due time.
type Due = (String, String, String, Option<i64>);

/// Claims accounts by a column with their due time.
macro_rules! claim_by {
    ($store:expr, $column:path, $now:expr, $until:expr, $limit:expr) => {{
        let query = accounts::table.filter($column.le(millis($now))).order($column).limit($limit.into()).select((
            accounts::merchant,
            accounts::mode,
            accounts::id,
            $column.nullable(),
        ));
        let rows: Vec<Due> = $store.load(Scope::work(), query).await?;
        let mut claimed = Vec::new();
        for (merchant, mode, id, due) in rows {
            let (tenant, account) = named(&merchant, &mode, &id)?;
            let row = accounts::table.find((merchant, mode, id)).filter($column.nullable().eq(due));
            let claim = diesel::update(row).set($column.eq(millis($until)));
            let is_claimed = $store.execute(Scope::of(&tenant), claim).await? == 1;
            claimed.extend(is_claimed.then_some((tenant, account)));
        }
        Ok(claimed)
    }};
}

impl Store {
    pub(super) async fn claim_due_probes(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable> {
        claim_by!(self, accounts::probe_due_at, now, until, limit)
    }

    pub(super) async fn claim_readiness_checks(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable> {
        claim_by!(self, accounts::readiness_due_at, now, until, limit)
    }
}

fn named(merchant: &str, mode: &str, id: &str) -> Result<(Tenant, MerchantAccountId), Unavailable> {
    let tenant = read_tenant(merchant, mode).zip(MerchantAccountId::parse(id));
    tenant.ok_or_else(|| unavailable(format!("accounts.id of {id} is inconsistent")))
}

/// Writes the readiness of the last event, and the event, unless another event was written meanwhile.
pub(super) fn write_change(tenant: &Tenant, change: &ReadinessChange) -> Vec<Write<Backend>> {
    let set = accounts::notified_readiness.eq(text(change.account.notified.as_ref())).as_changeset();
    let only = is_unchanged(tenant, change);
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
    let enqueue = Enqueue::new(tenant, event.id.to_string(), event.created_at).and(event.kind, EventSequence(0));
    writes.extend(enqueue.write());
    writes
}

/// Value of the column `notified_readiness`: empty if there was no event yet.
pub(super) fn text(notified: Option<&NotifiedReadiness>) -> String {
    notified.map_or_else(String::new, |readiness| readiness.as_str().to_owned())
}

/// Filter on an account without a later event.
#[auto_type(no_type_alias)]
pub(super) fn is_unchanged(tenant: &Tenant, change: &ReadinessChange) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let id: String = change.account.id.to_string();
    let notified: String = text(change.based_on.as_ref());
    accounts::merchant
        .eq(merchant)
        .and(accounts::mode.eq(mode))
        .and(accounts::id.eq(id))
        .and(accounts::notified_readiness.eq(notified))
}
