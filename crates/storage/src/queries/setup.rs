use std::iter;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_builder::AsChangeset, query_dsl::methods};
use domain::{
    MerchantAccountId, WebhookEndpointId,
    account::{Account, Probe, ReadinessChange},
    fiscal::IssuerSetupChange,
    merchant::Profile,
    webhook::WebhookEndpoint,
};
use ports::{Change, Committed, SetupChange, SetupCommit, SetupStore, StoredEndpoint, Tenant, Unavailable};

use super::{
    Backend, Store,
    accounts::write_credentials,
    commit::write_key,
    endpoints,
    filters::{insert, key, only},
    readiness,
    registry::retry,
};
use crate::{
    failure::{Refused, committed, unavailable},
    records::{self, Abilities},
    rows::{AccountRow, EndpointRow, Key, ProfileRow, restore_key},
    schema::{accounts, profiles, webhook_endpoint_counts, webhook_endpoints},
    scope::Scope,
    time::millis,
    write::{Update, Write},
};

#[async_trait]
impl SetupStore for Store {
    async fn commit(&self, commit: SetupCommit) -> Result<Committed, Unavailable> {
        let SetupCommit { tenant, at, change, readiness, key } = commit;
        // The key comes first: concurrent commits with the same key fail without a write.
        let mut writes = vec![write_key(key)];
        match change {
            SetupChange::Profile(change) => {
                writes.push(write_profile(*change));
                writes.extend(readiness.iter().flat_map(|it| readiness::write_change(&tenant, it)));
                writes.extend(retry(&tenant, IssuerSetupChange::Profile, at));
            }
            SetupChange::Account(account) => {
                writes.push(Write::or(Refused::Stale, insert!(accounts, AccountRow::from(&*account))));
            }
            SetupChange::Credentials { to, sealed } => {
                let change = readiness.iter().find(|it| it.account.id == to.id);
                writes.extend(write_credentials(&tenant, &to, (sealed, at), change));
            }
            SetupChange::Endpoint { endpoint, sealed_secret, limit } => {
                writes.extend(write_endpoint(&tenant, &endpoint, sealed_secret, limit));
            }
            SetupChange::EndpointChanged { to, based_on, secret } => {
                writes.push(endpoints::change(&to, based_on, secret));
            }
            SetupChange::EndpointRemoved { to, based_on } => {
                writes.extend(endpoints::remove(&to, based_on));
            }
            SetupChange::EndpointTest { endpoint, event } => writes.extend(endpoints::test(&endpoint, &event)),
            SetupChange::Replay { endpoint, replay } => writes.push(endpoints::replay(&endpoint, replay, at)),
        }
        committed(self.apply(Scope::of(&tenant), writes).await)
    }

    async fn endpoints(&self, tenant: &Tenant) -> Result<Vec<WebhookEndpoint>, Unavailable> {
        let query = webhook_endpoints::table
            .filter(only!(webhook_endpoints, tenant))
            .filter(webhook_endpoints::removed_at.is_null())
            .order((webhook_endpoints::created_at, webhook_endpoints::id))
            .select(EndpointRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn endpoint(&self, tenant: &Tenant, id: &WebhookEndpointId) -> Result<Option<StoredEndpoint>, Unavailable> {
        let query = webhook_endpoints::table
            .find(key(tenant, id))
            .select((EndpointRow::as_select(), webhook_endpoints::removed_at.is_not_null()));
        self.one::<(EndpointRow, bool), _>(Scope::of(tenant), query).await
    }

    async fn claim_probes(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable> {
        readiness::claim_by!(self, accounts::probe_due_at, now, until, limit)
    }

    async fn claim_looks(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u16,
    ) -> Result<Vec<(Tenant, MerchantAccountId)>, Unavailable> {
        readiness::claim_by!(self, accounts::readiness_due_at, now, until, limit)
    }

    async fn record_readiness_change(
        &self,
        tenant: &Tenant,
        change: &ReadinessChange,
    ) -> Result<Committed, Unavailable> {
        committed(self.apply(Scope::of(tenant), readiness::write_change(tenant, change)).await)
    }

    async fn store_probe<'a>(
        &self,
        tenant: &Tenant,
        to: &'a Account,
        (probe, next): (&'a Probe, DateTime<Utc>),
        change: Option<&'a ReadinessChange>,
    ) -> Result<Committed, Unavailable> {
        let result = records::json(probe);
        let version = i64::from(probe.credential_version);
        let only = only!(accounts, tenant, id = to.id.to_string(), credential_version = version);
        let abilities = Abilities::text(to);
        let set =
            (accounts::probe.eq(result), accounts::probe_due_at.eq(millis(next)), accounts::abilities.eq(abilities));
        let writes = match change {
            None => vec![Write::or(Refused::Stale, Update { table: "accounts", set: set.as_changeset(), only })],
            Some(change) => {
                let only = only.and(accounts::notified_readiness.eq(readiness::text(change.based_on.as_ref())));
                let set = (set, accounts::notified_readiness.eq(readiness::text(change.account.notified.as_ref())));
                let update = Update { table: "accounts", set: set.as_changeset(), only };
                let update: Write<Backend> = Write::or(Refused::Stale, update);
                iter::once(update).chain(readiness::write_event(tenant, change)).collect()
            }
        };
        committed(self.apply(Scope::of(tenant), writes).await)
    }
}

fn write_profile(Change { to, based_on, .. }: Change<Profile>) -> Write<Backend> {
    let row = ProfileRow::from(&to);
    let Some(version) = based_on else {
        return Write::or(Refused::Stale, insert!(profiles, row));
    };
    let only = only!(profiles, to, version = i64::from(version));
    Write::or(Refused::Stale, Update { table: "profiles", set: row.as_changeset(), only })
}

/// Counts and stores an endpoint, unless the limit is reached. Concurrent registrations wait at the count.
fn write_endpoint(
    tenant: &Tenant,
    endpoint: &WebhookEndpoint,
    sealed_secret: Vec<u8>,
    limit: usize,
) -> [Write<Backend>; 2] {
    let first = (
        webhook_endpoint_counts::merchant.eq(tenant.merchant.to_string()),
        webhook_endpoint_counts::mode.eq(tenant.mode.as_str()),
        webhook_endpoint_counts::endpoints.eq(1_i64),
    );
    let count = diesel::insert_into(webhook_endpoint_counts::table)
        .values(first)
        .on_conflict((webhook_endpoint_counts::merchant, webhook_endpoint_counts::mode))
        .do_update()
        .set(webhook_endpoint_counts::endpoints.eq(webhook_endpoint_counts::endpoints + 1));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let count = methods::FilterDsl::filter(count, webhook_endpoint_counts::endpoints.lt(limit));
    let row = (EndpointRow::from(endpoint), webhook_endpoints::sealed_secret.eq(sealed_secret));
    [Write::or(Refused::Stale, count), Write::or(Refused::Stale, insert!(webhook_endpoints, row))]
}
