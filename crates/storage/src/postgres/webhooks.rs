use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{Array, BigInt, Nullable, Text},
};
use ports::{Tenant, Unavailable, WebhookClaim};

use super::Postgres;
use crate::{
    rows::{DueRow, FinishedColumns},
    scope::Scope,
    time::millis,
};

impl Postgres {
    /// Leases due deliveries, a limited number of each endpoint. Dispatchers claim one after another: see the function
    /// `free_delivery_slots` of the schema.
    pub(super) async fn claim_deliveries(&self, claim: WebhookClaim) -> Result<Vec<DueRow>, Unavailable> {
        let WebhookClaim { now, lease_until, healthy, failing } = claim;
        let claim = Claim {
            now: millis(now),
            lease_until: millis(lease_until),
            healthy: (healthy.all.into(), healthy.each.into()),
            failing: (failing.all.into(), failing.each.into()),
        };
        self.load_written(Scope::work(), claim).await
    }

    /// What came of attempts, in one statement.
    pub(super) async fn finish_deliveries(&self, tenant: &Tenant, rows: FinishedColumns) -> Result<(), Unavailable> {
        let finish = Finish { merchant: tenant.merchant.to_string(), mode: tenant.mode.as_str(), rows };
        self.execute(Scope::of(tenant), finish).await.map(drop)
    }

    /// When the next attempt falls due, or a lease ends.
    pub(super) async fn next_delivery(&self) -> Result<Option<i64>, Unavailable> {
        let next: Vec<Option<i64>> = self.load(Scope::work(), Next).await?;
        Ok(next.into_iter().next().flatten())
    }
}

/// Every endpoint that something waits for, found by one step of the index each, however much waits.
const WAITING: &str = "WITH RECURSIVE waiting AS ((SELECT merchant, mode, endpoint FROM webhook_deliveries \
     WHERE due_at IS NOT NULL ORDER BY merchant, mode, endpoint LIMIT 1) \
     UNION ALL SELECT following.merchant, following.mode, following.endpoint FROM waiting CROSS JOIN LATERAL \
     (SELECT it.merchant, it.mode, it.endpoint FROM webhook_deliveries it WHERE it.due_at IS NOT NULL \
     AND (it.merchant, it.mode, it.endpoint) > (waiting.merchant, waiting.mode, waiting.endpoint) \
     ORDER BY it.merchant, it.mode, it.endpoint LIMIT 1) following)";

/// Those of them that are open.
const OPEN: &str = "waiting JOIN webhook_endpoints ON webhook_endpoints.merchant = waiting.merchant \
     AND webhook_endpoints.mode = waiting.mode AND webhook_endpoints.id = waiting.endpoint \
     AND webhook_endpoints.disabled IS NULL AND webhook_endpoints.removed_at IS NULL";

/// What waits for one of them.
const ITS_OWN: &str = "webhook_deliveries it WHERE it.merchant = waiting.merchant AND it.mode = waiting.mode \
     AND it.endpoint = waiting.endpoint";

/// So many of one endpoint are looked at for the first that is free: more than are ever in flight.
const HEAD: i64 = 64;

/// One statement: of each endpoint lock the oldest, lease as many as there is room for beside those that are in flight. What
/// another has claimed since it began is passed over as it comes to it.
#[derive(QueryId)]
struct Claim {
    now: i64,
    lease_until: i64,
    /// Together, and of one endpoint.
    healthy: (i64, i64),
    failing: (i64, i64),
}

impl Query for Claim {
    type SqlType = (Text, Text, Text, BigInt, Text, BigInt, BigInt, BigInt);
}

impl QueryFragment<Pg> for Claim {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(WAITING);
        out.push_sql(&format!(
            ", due AS (SELECT first.*, failing_since IS NOT NULL AS is_failing, row_number() \
             OVER (PARTITION BY failing_since IS NOT NULL ORDER BY first.due_at) AS place FROM {OPEN} \
             CROSS JOIN LATERAL (SELECT free_delivery_slots(waiting.merchant, waiting.mode, waiting.endpoint, "
        ));
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(", CASE WHEN failing_since IS NULL THEN ");
        out.push_bind_param::<BigInt, _>(&self.healthy.1)?;
        out.push_sql("::bigint ELSE ");
        out.push_bind_param::<BigInt, _>(&self.failing.1)?;
        out.push_sql(&format!(
            "::bigint END) AS many) room CROSS JOIN LATERAL (SELECT it.merchant, it.mode, \
             it.endpoint, it.occurred_at, it.subject, it.sequence, it.due_at FROM {ITS_OWN} AND it.due_at <= "
        ));
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(" AND (it.lease_until IS NULL OR it.lease_until <= ");
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(
            ") ORDER BY it.due_at LIMIT room.many FOR UPDATE SKIP LOCKED) first) \
             UPDATE webhook_deliveries it SET lease_until = ",
        );
        out.push_bind_param::<BigInt, _>(&self.lease_until)?;
        out.push_sql(" FROM due WHERE due.place <= CASE WHEN due.is_failing THEN ");
        out.push_bind_param::<BigInt, _>(&self.failing.0)?;
        out.push_sql("::bigint");
        out.push_sql(" ELSE ");
        out.push_bind_param::<BigInt, _>(&self.healthy.0)?;
        out.push_sql("::bigint");
        out.push_sql(
            " END AND it.merchant = due.merchant AND it.mode = due.mode AND it.endpoint = due.endpoint \
             AND it.occurred_at = due.occurred_at AND it.subject = due.subject AND it.sequence = due.sequence \
             RETURNING it.merchant, it.mode, it.endpoint, it.occurred_at, it.subject, it.sequence, it.attempts, \
             it.lease_until",
        );
        Ok(())
    }
}

/// The first moment at which something of an open endpoint is due and in nobody's hands.
#[derive(QueryId)]
struct Next;

impl Query for Next {
    type SqlType = Nullable<BigInt>;
}

impl QueryFragment<Pg> for Next {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(&format!(
            "{WAITING} SELECT min(first.due) FROM {OPEN} CROSS JOIN LATERAL (SELECT min(head.due) AS due FROM \
             (SELECT greatest(it.due_at, coalesce(it.lease_until, it.due_at)) AS due FROM {ITS_OWN} \
             AND it.due_at IS NOT NULL ORDER BY it.due_at LIMIT {HEAD}) head) first"
        ));
        Ok(())
    }
}

/// Writes each row where its lease is still ours.
#[derive(QueryId)]
struct Finish {
    merchant: String,
    mode: &'static str,
    rows: FinishedColumns,
}

impl QueryFragment<Pg> for Finish {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let FinishedColumns { endpoint, occurred_at, subject, sequence, lease_until, .. } = &self.rows;
        let FinishedColumns { attempts, status, due_at, ended_at, last_attempt_at, last_result, last_duration, .. } =
            &self.rows;
        out.push_sql(
            "UPDATE webhook_deliveries it SET attempts = done.attempts, status = done.status, due_at = done.due_at, \
             lease_until = NULL, ended_at = done.ended_at, last_attempt_at = done.last_attempt_at, \
             last_result = done.last_result, last_duration = done.last_duration FROM unnest(",
        );
        out.push_bind_param::<Array<Text>, _>(endpoint)?;
        out.push_sql("::text[]");
        for column in [occurred_at, sequence, lease_until, attempts, last_attempt_at, last_duration] {
            out.push_sql(", ");
            out.push_bind_param::<Array<BigInt>, _>(column)?;
            out.push_sql("::bigint[]");
        }
        for column in [due_at, ended_at] {
            out.push_sql(", ");
            out.push_bind_param::<Array<Nullable<BigInt>>, _>(column)?;
            out.push_sql("::bigint[]");
        }
        for column in [subject, status, last_result] {
            out.push_sql(", ");
            out.push_bind_param::<Array<Text>, _>(column)?;
            out.push_sql("::text[]");
        }
        out.push_sql(
            ") AS done(endpoint, occurred_at, sequence, lease_until, attempts, last_attempt_at, last_duration, due_at, \
             ended_at, subject, status, last_result) WHERE it.merchant = ",
        );
        out.push_bind_param::<Text, _>(&self.merchant)?;
        out.push_sql(" AND it.mode = ");
        out.push_bind_param::<Text, _>(self.mode)?;
        out.push_sql(
            " AND it.endpoint = done.endpoint AND it.occurred_at = done.occurred_at AND it.subject = done.subject \
             AND it.sequence = done.sequence AND it.lease_until = done.lease_until",
        );
        Ok(())
    }
}
