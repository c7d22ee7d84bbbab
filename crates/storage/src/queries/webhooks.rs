use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{dsl::AsSelect, prelude::*, query_builder::AsChangeset};
use domain::{
    WebhookEndpointId,
    event::EventRecord,
    webhook::{EndpointDisabledEmail, WebhookEndpoint},
};
use ports::{
    AttemptedDelivery, Committed, DueDelivery, EndpointHealth, Recipient, Tenant, Unavailable, WebhookClaim,
    WebhookQueue,
};

use super::{Backend, Store, enqueue::Enqueue, filters::only};
use crate::{
    failure::{Refused, committed, unavailable},
    rows::{
        About, AccountEventRow, DueRow, EndpointDisabledEmailRow, EndpointRow, FinishedColumns, Sending, StoredRow,
    },
    schema::{account_events, endpoint_disabled_emails, webhook_endpoints},
    scope::Scope,
    time::{instant, millis},
    write::{Update, Write},
};

#[async_trait]
impl WebhookQueue for Store {
    async fn claim(&self, claim: &WebhookClaim) -> Result<Vec<DueDelivery>, Unavailable> {
        let rows = self.claim_deliveries(claim.clone()).await?;
        rows.into_iter().map(DueRow::restore).collect::<Result<_, _>>().map_err(unavailable)
    }

    async fn recipients(&self, tenant: &Tenant) -> Result<Vec<Recipient>, Unavailable> {
        let row: AsSelect<EndpointRow, Backend> = EndpointRow::as_select();
        let sending = (
            webhook_endpoints::sealed_secret,
            webhook_endpoints::previous_secret,
            webhook_endpoints::previous_until,
            webhook_endpoints::failing_since,
        );
        let query = webhook_endpoints::table
            .filter(only!(webhook_endpoints, tenant))
            .filter(webhook_endpoints::disabled.is_null())
            .filter(webhook_endpoints::removed_at.is_null())
            .select((row, sending));
        self.all::<(EndpointRow, Sending), _>(Scope::of(tenant), query).await
    }

    async fn finish(
        &self,
        tenant: &Tenant,
        attempted: Vec<AttemptedDelivery>,
        health: Vec<EndpointHealth>,
    ) -> Result<(), Unavailable> {
        self.finish_deliveries(tenant, FinishedColumns::of(attempted), health).await
    }

    async fn record_health(
        &self,
        tenant: &Tenant,
        endpoints: &[WebhookEndpointId],
        failing_since: Option<DateTime<Utc>>,
    ) -> Result<(), Unavailable> {
        let names: Vec<_> = endpoints.iter().map(ToString::to_string).collect();
        let rows = webhook_endpoints::table
            .filter(only!(webhook_endpoints, tenant))
            .filter(webhook_endpoints::id.eq_any(names));
        let since = failing_since.map(millis);
        let noted = diesel::update(rows)
            .filter(webhook_endpoints::failing_since.is_null().ne(since.is_none()))
            .set(webhook_endpoints::failing_since.eq(since));
        self.execute(Scope::of(tenant), noted).await.map(drop)
    }

    async fn disable(
        &self,
        mail: &EndpointDisabledEmail,
        based_on: u32,
        event: &EventRecord,
    ) -> Result<Committed, Unavailable> {
        let endpoint = &mail.endpoint;
        let tenant = Tenant { merchant: endpoint.merchant.clone(), mode: endpoint.mode };
        let only = is_endpoint(endpoint).and(webhook_endpoints::version.eq(i64::from(based_on)));
        let set = EndpointRow::from(endpoint).as_changeset();
        let mail_row = EndpointDisabledEmailRow::from(mail);
        let mut writes = vec![
            Write::or(Refused::Stale, Update { table: "webhook_endpoints", set, only }),
            write_account_event(event, endpoint),
            Write::or(Refused::Stale, diesel::insert_into(endpoint_disabled_emails::table).values(mail_row)),
        ];
        // The disabled endpoint gets no event about itself, not even later when enabled again.
        let enqueue = Enqueue::new(&tenant, event.id.to_string(), event.created_at).excluding(&endpoint.id);
        writes.extend(enqueue.and_other(event.kind).write());
        committed(self.apply(Scope::of(&tenant), writes).await)
    }

    async fn delete_expired_secrets(&self, now: DateTime<Utc>) -> Result<u64, Unavailable> {
        let replaced = webhook_endpoints::table.filter(webhook_endpoints::previous_until.le(millis(now)));
        let none =
            (webhook_endpoints::previous_secret.eq(None::<Vec<u8>>), webhook_endpoints::previous_until.eq(None::<i64>));
        self.execute(Scope::SWEEP, diesel::update(replaced).set(none)).await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        Ok(self.next_delivery().await?.and_then(instant))
    }
}

/// Writes an event of an endpoint.
pub(super) fn write_account_event(event: &EventRecord, endpoint: &WebhookEndpoint) -> Write<Backend> {
    let tenant = Tenant { merchant: endpoint.merchant.clone(), mode: endpoint.mode };
    let row = AccountEventRow::new(&tenant, event, &About::Endpoint(endpoint));
    Write::or(Refused::Stale, diesel::insert_into(account_events::table).values(row))
}

/// Filter on an endpoint that was not removed.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn is_endpoint(endpoint: &WebhookEndpoint) -> _ {
    let merchant: String = endpoint.merchant.to_string();
    let mode: &'static str = endpoint.mode.as_str();
    let id: String = endpoint.id.to_string();
    webhook_endpoints::merchant
        .eq(merchant)
        .and(webhook_endpoints::mode.eq(mode))
        .and(webhook_endpoints::id.eq(id))
        .and(webhook_endpoints::removed_at.is_null())
}
