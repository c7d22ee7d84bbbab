use diesel::sql_types::{BigInt, Nullable, Text};
use ports::{EndpointHealth, Tenant, Unavailable, WebhookClaim};

use super::Postgres;
use crate::{
    rows::{DueRow, FinishedColumns},
    scope::Scope,
    sql::sql_file,
    time::millis,
};

impl Postgres {
    /// Leases due deliveries, a limited number for each endpoint. Concurrent claims run one after another: see the
    /// function `free_delivery_slots` of the schema.
    pub(super) async fn claim_deliveries(&self, claim: WebhookClaim) -> Result<Vec<DueRow>, Unavailable> {
        let WebhookClaim { now, lease_until, healthy, failing, fast, fast_endpoints } = claim;
        let claim = sql_file!(
            "postgres/claim_deliveries",
            now: millis(now),
            lease_until: millis(lease_until),
            healthy_all: i64::from(healthy.all),
            healthy_each: i64::from(healthy.each),
            failing_all: i64::from(failing.all),
            failing_each: i64::from(failing.each),
            fast_all: i64::from(fast.all),
            fast_each: i64::from(fast.each),
            fast: fast_endpoints.iter().map(ToString::to_string).collect::<Vec<_>>(),
        );
        let claim = claim.returning::<(Text, Text, Text, BigInt, BigInt, BigInt, Text, BigInt)>();
        self.load_written(Scope::WORK, claim).await
    }

    /// Stores the results of attempts, and the health of endpoints.
    pub(super) async fn finish_deliveries(
        &self,
        tenant: &Tenant,
        rows: FinishedColumns,
        health: Vec<EndpointHealth>,
    ) -> Result<(), Unavailable> {
        let finish = sql_file!(
            "postgres/finish_deliveries",
            merchant: tenant.merchant.as_str(),
            mode: tenant.mode.as_str(),
            endpoint: rows.endpoint,
            occurred_at: rows.occurred_at,
            subject: rows.subject,
            sequence: rows.sequence,
            lease_until: rows.lease_until,
            attempts: rows.attempts,
            status: rows.status,
            due_at: rows.due_at,
            ended_at: rows.ended_at,
            last_attempt_at: rows.last_attempt_at,
            last_result: rows.last_result,
            last_duration: rows.last_duration,
            checked: health.iter().map(|it| it.endpoint.to_string()).collect::<Vec<_>>(),
            failing_since: health.iter().map(|it| it.failing_since.map(millis)).collect::<Vec<_>>(),
            has_accepted: health.iter().map(|it| i64::from(it.has_accepted)).collect::<Vec<_>>(),
        );
        self.execute(Scope::of(tenant), finish).await.map(drop)
    }

    /// Returns the time of the next due delivery or end of a lease.
    pub(super) async fn next_delivery(&self) -> Result<Option<i64>, Unavailable> {
        let next = sql_file!("postgres/next_delivery").returning::<Nullable<BigInt>>();
        let next: Vec<Option<i64>> = self.load(Scope::WORK, next).await?;
        Ok(next.into_iter().next().flatten())
    }
}
