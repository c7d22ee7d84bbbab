use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    query_builder::{AsChangeset, AstPass, QueryFragment},
    sql_types::{BigInt, Text},
};
use domain::{EventKind, event::EventRecord, webhook::WebhookEndpoint};
use ports::{NewSecret, Replay, ReplayedRange};

use super::{
    Backend,
    webhooks::{is_endpoint, write_account_event},
};
use crate::{
    failure::Refused,
    rows::{EndpointRow, event_columns},
    schema::{webhook_deliveries, webhook_endpoint_counts, webhook_endpoints},
    time::{bound, millis},
    write::{Update, Write},
};

/// The endpoint as it is from now on; what it refused before counts no more.
pub(super) fn change(to: &WebhookEndpoint, based_on: u32, secret: Option<NewSecret>) -> Vec<Write<Backend>> {
    let only = is_endpoint(to).and(webhook_endpoints::version.eq(i64::from(based_on)));
    let row = (EndpointRow::from(to), webhook_endpoints::failing_since.eq(None::<i64>));
    let Some(NewSecret { sealed, previous_until }) = secret else {
        return vec![stale(only, row.as_changeset())];
    };
    let sealed = webhook_endpoints::sealed_secret.eq(sealed);
    match previous_until.map(millis) {
        Some(until) => {
            let previous = (
                webhook_endpoints::previous_secret.eq(webhook_endpoints::sealed_secret.nullable()),
                webhook_endpoints::previous_until.eq(until),
            );
            vec![stale(only, (row, sealed, previous).as_changeset())]
        }
        None => {
            let previous = (
                webhook_endpoints::previous_secret.eq(None::<Vec<u8>>),
                webhook_endpoints::previous_until.eq(None::<i64>),
            );
            vec![stale(only, (row, sealed, previous).as_changeset())]
        }
    }
}

/// The endpoint is no more, and there is room for another.
pub(super) fn remove(to: &WebhookEndpoint, based_on: u32) -> Vec<Write<Backend>> {
    let only = is_endpoint(to).and(webhook_endpoints::version.eq(i64::from(based_on)));
    let gone = (
        EndpointRow::from(to),
        webhook_endpoints::removed_at.eq(millis(to.updated_at)),
        webhook_endpoints::previous_secret.eq(None::<Vec<u8>>),
        webhook_endpoints::previous_until.eq(None::<i64>),
    );
    let counted = webhook_endpoint_counts::merchant
        .eq(to.merchant.to_string())
        .and(webhook_endpoint_counts::mode.eq(to.mode.as_str()));
    let set = webhook_endpoint_counts::endpoints.eq(webhook_endpoint_counts::endpoints - 1).as_changeset();
    let count = Write::or(Refused::Stale, Update { table: "webhook_endpoint_counts", set, only: counted });
    vec![stale(only, gone.as_changeset()), count]
}

/// An event that goes to this endpoint alone.
pub(super) fn test(endpoint: &WebhookEndpoint, event: &EventRecord) -> [Write<Backend>; 2] {
    let replay = Replay::Event { id: event.id.clone(), kind: event.kind, occurred_at: event.created_at };
    [write_account_event(event, endpoint), self::replay(endpoint, replay, event.created_at)]
}

/// Events that set out again, due at once. Whoever is at one of them meanwhile finishes nothing.
pub(super) fn replay(endpoint: &WebhookEndpoint, replay: Replay, at: DateTime<Utc>) -> Write<Backend> {
    let (merchant, mode, id) = (endpoint.merchant.to_string(), endpoint.mode.as_str(), endpoint.id.to_string());
    match replay {
        Replay::Event { id: event, kind, occurred_at } => {
            let (subject, sequence) = event_columns(&event);
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
            Write::or(Refused::Stale, crate::write::Followed(insert, ANEW))
        }
        Replay::Range(range) => {
            let again = Again { merchant, mode, endpoint: id, due_at: millis(at), range };
            Write { statement: Box::new(again), otherwise: None, moves: None }
        }
    }
}

/// A delivery that is known begins from its first attempt.
const ANEW: &str = " ON CONFLICT (merchant, mode, endpoint, occurred_at, subject, sequence) DO UPDATE SET \
     attempts = 0, status = 'pending', due_at = excluded.due_at, lease_until = NULL, ended_at = NULL";

/// Every event of a period.
struct Again {
    merchant: String,
    mode: &'static str,
    endpoint: String,
    due_at: i64,
    range: ReplayedRange,
}

impl QueryFragment<Backend> for Again {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        // The kinds are in the text, and which they are is up to the merchant.
        out.unsafe_to_cache_prepared();
        if self.range.is_only_failed {
            out.push_sql("UPDATE webhook_deliveries SET attempts = 0, status = 'pending', due_at = ");
            out.push_bind_param::<BigInt, _>(&self.due_at)?;
            out.push_sql(", lease_until = NULL, ended_at = NULL WHERE endpoint = ");
            out.push_bind_param::<Text, _>(&self.endpoint)?;
            out.push_sql(" AND status = 'failed' AND ");
            return self.of_period(&mut out);
        }
        out.push_sql(
            "INSERT INTO webhook_deliveries \
             (merchant, mode, endpoint, occurred_at, subject, sequence, kind, attempts, status, due_at) \
             SELECT merchant, mode, ",
        );
        out.push_bind_param::<Text, _>(&self.endpoint)?;
        out.push_sql(", occurred_at, payment, sequence, kind, 0, 'pending', ");
        self.due(&mut out)?;
        out.push_sql(" FROM events WHERE snapshot IS NOT NULL AND ");
        self.of_period(&mut out)?;
        // A test is of one endpoint, and no other's business.
        out.push_sql(" UNION ALL SELECT merchant, mode, ");
        out.push_bind_param::<Text, _>(&self.endpoint)?;
        out.push_sql(", occurred_at, id, 0, kind, 0, 'pending', ");
        self.due(&mut out)?;
        out.push_sql(&format!(
            " FROM account_events WHERE (kind <> '{}' OR endpoint = ",
            EventKind::WebhookEndpointTest
        ));
        out.push_bind_param::<Text, _>(&self.endpoint)?;
        out.push_sql(") AND ");
        self.of_period(&mut out)?;
        out.push_sql(ANEW);
        Ok(())
    }
}

impl Again {
    /// It says of itself what it is: of parts that stand beside each other no column does.
    fn due<'b>(&'b self, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("CAST(");
        out.push_bind_param::<BigInt, _>(&self.due_at)?;
        out.push_sql(" AS bigint)");
        Ok(())
    }

    fn of_period<'b>(&'b self, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("merchant = ");
        out.push_bind_param::<Text, _>(&self.merchant)?;
        out.push_sql(" AND mode = ");
        out.push_bind_param::<Text, _>(self.mode)?;
        // No instant of ours has parts of a millisecond that would be lost.
        out.push_sql(&format!(
            " AND occurred_at >= {} AND occurred_at < {} AND kind IN (",
            bound(self.range.since),
            bound(self.range.until)
        ));
        let kinds: Vec<String> = self.range.kinds.iter().map(|it: &EventKind| format!("'{it}'")).collect();
        out.push_sql(if kinds.is_empty() { "''" } else { "" });
        out.push_sql(&kinds.join(", "));
        out.push_sql(")");
        Ok(())
    }
}

fn stale<F, S>(only: F, set: S) -> Write<Backend>
where
    F: QueryFragment<Backend> + Send + Sync + 'static,
    S: QueryFragment<Backend> + Send + Sync + 'static,
{
    Write::or(Refused::Stale, Update { table: "webhook_endpoints", set, only })
}
