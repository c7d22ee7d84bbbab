use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    query_builder::{AsChangeset, QueryFragment},
};
use domain::{EventKind, event::EventRecord, webhook::WebhookEndpoint};
use ports::{NewSecret, Replay, ReplayedRange};

use super::{
    Backend, FIND,
    filters::only,
    webhooks::{is_endpoint, write_account_event},
};
use crate::{
    column::Column,
    failure::Refused,
    rows::EndpointRow,
    schema::{webhook_deliveries, webhook_endpoint_counts, webhook_endpoints},
    sql::{Bind, SqlFile, sql_file},
    time::{bound, millis},
    write::{Update, WithSuffix, Write},
};

/// Writes a changed endpoint. Earlier failures count no more.
pub(super) fn change(to: &WebhookEndpoint, based_on: u32, secret: Option<NewSecret>) -> Write<Backend> {
    let only = is_endpoint(to).and(webhook_endpoints::version.eq(i64::from(based_on)));
    let row = (EndpointRow::from(to), webhook_endpoints::failing_since.eq(None::<i64>));
    let Some(NewSecret { sealed, previous_until }) = secret else { return stale(only, row.as_changeset()) };
    let row = (row, webhook_endpoints::sealed_secret.eq(sealed));
    let until = webhook_endpoints::previous_until.eq(previous_until.map(millis));
    match previous_until {
        Some(_) => {
            let previous = webhook_endpoints::previous_secret.eq(webhook_endpoints::sealed_secret.nullable());
            stale(only, (row, previous, until).as_changeset())
        }
        None => stale(only, (row, webhook_endpoints::previous_secret.eq(None::<Vec<u8>>), until).as_changeset()),
    }
}

/// Removes an endpoint, and decrements the count of endpoints.
pub(super) fn remove(to: &WebhookEndpoint, based_on: u32) -> Vec<Write<Backend>> {
    let only = is_endpoint(to).and(webhook_endpoints::version.eq(i64::from(based_on)));
    let removed = (
        EndpointRow::from(to),
        webhook_endpoints::removed_at.eq(millis(to.updated_at)),
        webhook_endpoints::previous_secret.eq(None::<Vec<u8>>),
        webhook_endpoints::previous_until.eq(None::<i64>),
    );
    let counted = only!(webhook_endpoint_counts, to);
    let set = webhook_endpoint_counts::endpoints.eq(webhook_endpoint_counts::endpoints - 1).as_changeset();
    let count = Write::or(Refused::Stale, Update { table: "webhook_endpoint_counts", set, only: counted });
    vec![stale(only, removed.as_changeset()), count]
}

/// Writes a test event, which only this endpoint gets.
pub(super) fn test(endpoint: &WebhookEndpoint, event: &EventRecord) -> [Write<Backend>; 2] {
    let replay = Replay::Event { id: event.id.clone(), kind: event.kind, occurred_at: event.created_at };
    [write_account_event(event, endpoint), self::replay(endpoint, replay, event.created_at)]
}

/// Enqueues events again, due at once. The result of an attempt in progress is not stored.
pub(super) fn replay(endpoint: &WebhookEndpoint, replay: Replay, at: DateTime<Utc>) -> Write<Backend> {
    let (merchant, mode, id) = (endpoint.merchant.to_string(), endpoint.mode.as_str(), endpoint.id.to_string());
    match replay {
        Replay::Event { id: event, kind, occurred_at } => {
            let (subject, sequence): (String, i64) = event.store();
            let row = (
                webhook_deliveries::merchant.eq(merchant),
                webhook_deliveries::mode.eq(mode),
                webhook_deliveries::endpoint.eq(id),
                webhook_deliveries::occurred_at.eq(millis(occurred_at)),
                webhook_deliveries::subject.eq(subject),
                webhook_deliveries::sequence.eq(sequence),
                webhook_deliveries::kind.eq(kind.as_str()),
                webhook_deliveries::attempts.eq(0_i64),
                webhook_deliveries::status.eq("pending"),
                webhook_deliveries::due_at.eq(millis(at)),
            );
            let insert = diesel::insert_into(webhook_deliveries::table).values(row);
            Write::or(Refused::Stale, WithSuffix(insert, RESTART))
        }
        Replay::Range(range) => Write::unchecked(replay_range(merchant, mode, id, millis(at), &range)),
    }
}

/// A known delivery restarts with the first attempt.
const RESTART: &str = " ON CONFLICT (merchant, mode, endpoint, occurred_at, subject, sequence) DO UPDATE SET \
     attempts = 0, status = 'pending', due_at = excluded.due_at, lease_until = NULL, ended_at = NULL";

fn replay_range(
    merchant: String,
    mode: &'static str,
    endpoint: String,
    due_at: i64,
    range: &ReplayedRange,
) -> SqlFile<Backend> {
    let kinds: String = range.kinds.iter().map(|kind: &EventKind| format!("\"{kind}\"")).collect();
    let (since, until, find) = (bound(range.since), bound(range.until), Bind::Sql(FIND));
    macro_rules! replay {
        ($file:literal) => {
            sql_file!(
                $file,
                merchant: merchant, mode: mode, endpoint: endpoint, due_at: due_at,
                since: since, until: until, find: find, kinds: kinds,
            )
        };
    }
    if range.is_only_failed { replay!("replay_failed") } else { replay!("replay_all") }
}

fn stale<F, S>(only: F, set: S) -> Write<Backend>
where
    F: QueryFragment<Backend> + Send + Sync + 'static,
    S: QueryFragment<Backend> + Send + Sync + 'static,
{
    Write::or(Refused::Stale, Update { table: "webhook_endpoints", set, only })
}
