use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{EventId, EventKind, WebhookEndpointId};
use ports::{LoggedDelivery, Page, ReplayedRange, Tenant, Unavailable, WebhookLog};

use super::{Backend, Store, filters::only};
use crate::{
    column::Column,
    failure::unavailable,
    rows::LoggedRow,
    schema::{account_events, events, webhook_deliveries},
    scope::Scope,
    time::{bound, instant, millis},
};

#[async_trait]
impl WebhookLog for Store {
    async fn deliveries(
        &self,
        tenant: &Tenant,
        endpoint: &WebhookEndpointId,
        status: Option<&'static str>,
        page: &Page,
    ) -> Result<Vec<LoggedDelivery>, Unavailable> {
        let mut query = webhook_deliveries::table.select(LoggedRow::as_select()).into_boxed::<Backend>().filter(only!(
            webhook_deliveries,
            tenant,
            endpoint = endpoint.to_string()
        ));
        if let Some(status) = status {
            query = query.filter(webhook_deliveries::status.eq(status));
        }
        if let Some(after) = &page.after {
            let occurred_at = millis(after.created_at);
            // The plain bound is redundant, but lets the scan of the index start there.
            query = query.filter(webhook_deliveries::occurred_at.le(occurred_at));
            // The position before the first event has no identifier.
            if let Some((subject, sequence)) = EventId::parse(&after.id).map(|it| it.store()) {
                let is_earlier = webhook_deliveries::subject
                    .lt(subject.clone())
                    .or(webhook_deliveries::subject.eq(subject).and(webhook_deliveries::sequence.lt(sequence)));
                query = query.filter(webhook_deliveries::occurred_at.lt(occurred_at).or(is_earlier));
            }
        }
        let newest = (
            webhook_deliveries::occurred_at.desc(),
            webhook_deliveries::subject.desc(),
            webhook_deliveries::sequence.desc(),
        );
        self.all::<LoggedRow, _>(Scope::of(tenant), query.order(newest).limit(page.limit.into())).await
    }

    async fn replayable(
        &self,
        tenant: &Tenant,
        endpoint: &WebhookEndpointId,
        range: &ReplayedRange,
        limit: u16,
    ) -> Result<Vec<DateTime<Utc>>, Unavailable> {
        let kinds: Vec<&'static str> = range.kinds.iter().map(|it| it.as_str()).collect();
        let (since, until) = (bound(range.since), bound(range.until));
        let times: Vec<i64> = if range.is_only_failed {
            let query = webhook_deliveries::table
                .filter(only!(webhook_deliveries, tenant, endpoint = endpoint.to_string(), status = "failed"))
                .filter(webhook_deliveries::occurred_at.ge(since).and(webhook_deliveries::occurred_at.lt(until)))
                .filter(webhook_deliveries::kind.eq_any(kinds))
                .order(webhook_deliveries::occurred_at)
                .limit(limit.into())
                .select(webhook_deliveries::occurred_at);
            self.load(Scope::of(tenant), query).await?
        } else {
            let of_endpoint = account_events::endpoint.assume_not_null().eq(endpoint.to_string());
            let others = account_events::table
                .filter(only!(account_events, tenant))
                .filter(account_events::occurred_at.ge(since).and(account_events::occurred_at.lt(until)))
                .filter(account_events::kind.eq_any(kinds.clone()))
                .filter(account_events::kind.ne(EventKind::WebhookEndpointTest.as_str()).or(of_endpoint))
                .order(account_events::occurred_at)
                .limit(limit.into())
                .select(account_events::occurred_at);
            let query = events::table
                .filter(only!(events, tenant))
                .filter(events::snapshot.is_not_null())
                .filter(events::occurred_at.ge(since).and(events::occurred_at.lt(until)))
                .filter(events::kind.eq_any(kinds))
                .order(events::occurred_at)
                .limit(limit.into())
                .select(events::occurred_at);
            let (mut times, others): (Vec<i64>, Vec<i64>) = self.load_two(Scope::of(tenant), query, others).await?;
            times.extend(others);
            times.sort_unstable();
            times.truncate(limit.into());
            times
        };
        times
            .into_iter()
            .map(|it| instant(it).ok_or_else(|| unavailable("webhook_deliveries.occurred_at is inconsistent")))
            .collect()
    }
}
