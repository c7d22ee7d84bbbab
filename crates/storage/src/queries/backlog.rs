use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    QueryResult,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Nullable},
};
use ports::{Backlog, COUNT_LIMIT, Queue, Unavailable, Waiting};

use super::{Backend, Store};
use crate::{
    scope::Scope,
    time::{instant, millis},
};

/// Length and beginning of each queue.
type Row = (i64, Option<i64>, i64, Option<i64>, i64, Option<i64>, i64, Option<i64>, i64, Option<i64>, i64, Option<i64>);

#[async_trait]
impl Backlog for Store {
    async fn waiting(&self, now: DateTime<Utc>) -> Result<Waiting, Unavailable> {
        let rows: Vec<Row> = self.load(Scope::monitoring(), Lengths { now: millis(now) }).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(Waiting::default()) };
        let (verifying, in_doubt_since, unissued, owed_since, due, due_since, left, left_since, ..) = row;
        let (.., undelivered, told_since, untold, off_since) = row;
        let queue = |length: i64, since: Option<i64>| Queue {
            length: u64::try_from(length).unwrap_or_default().min(COUNT_LIMIT),
            since: since.and_then(instant),
        };
        Ok(Waiting {
            verifying: queue(verifying, in_doubt_since),
            unissued: queue(unissued, owed_since),
            due: queue(due, due_since),
            left_in_part: queue(left, left_since),
            undelivered: queue(undelivered, told_since),
            untold: queue(untold, off_since),
        })
    }
}

/// One statement. Whatever waits, it reads a bounded part of the indexes that hold nothing else.
#[derive(QueryId)]
struct Lengths {
    now: i64,
}

/// Sales of which the oldest debt is looked for. A document does not know when its payment
/// succeeded, and of so many that wait none is looked for more closely.
const OLDEST: &str = "SELECT merchant, mode, payment FROM fiscal_documents WHERE status IN ('issuing', 'delayed') \
     ORDER BY created_at LIMIT 1000";

/// A payment that is paid in part ends when nothing can complete it any more.
const LEFT_IN_PART: &str = "payments WHERE status = 'partially_paid' AND ended_at IS NOT NULL";

/// What waits for an endpoint that is not switched off.
const UNDELIVERED: &str = "webhook_endpoints JOIN webhook_deliveries ON \
     webhook_deliveries.merchant = webhook_endpoints.merchant AND webhook_deliveries.mode = webhook_endpoints.mode \
     AND webhook_deliveries.endpoint = webhook_endpoints.id AND webhook_deliveries.due_at IS NOT NULL \
     WHERE webhook_endpoints.disabled IS NULL AND webhook_endpoints.removed_at IS NULL";

/// The event of the oldest of them: an index leads each endpoint to its own first.
const OLDEST_UNDELIVERED: &str = "SELECT min(oldest) FROM (SELECT (SELECT min(occurred_at) FROM webhook_deliveries \
     WHERE webhook_deliveries.merchant = webhook_endpoints.merchant AND webhook_deliveries.mode = webhook_endpoints.mode \
     AND webhook_deliveries.endpoint = webhook_endpoints.id AND webhook_deliveries.due_at IS NOT NULL) AS oldest \
     FROM webhook_endpoints WHERE disabled IS NULL AND removed_at IS NULL) AS each_first";

/// E-mails about disabled endpoints that could not be sent.
const FAILED_EMAILS: &str = "endpoint_disabled_emails WHERE status = 'failed'";

impl Query for Lengths {
    type SqlType = (
        BigInt,
        Nullable<BigInt>,
        BigInt,
        Nullable<BigInt>,
        BigInt,
        Nullable<BigInt>,
        BigInt,
        Nullable<BigInt>,
        BigInt,
        Nullable<BigInt>,
        BigInt,
        Nullable<BigInt>,
    );
}

impl<C> diesel::RunQueryDsl<C> for Lengths {}

impl QueryFragment<Backend> for Lengths {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("SELECT (");
        count("payments WHERE status = 'verifying'", &mut out);
        out.push_sql("), (SELECT min(submitted_at) FROM payments WHERE status = 'verifying'), (");
        count("fiscal_documents WHERE status IN ('issuing', 'delayed')", &mut out);
        out.push_sql(&format!(
            "), (SELECT min(payments.ended_at) FROM ({OLDEST}) AS oldest JOIN payments ON \
             payments.merchant = oldest.merchant AND payments.mode = oldest.mode AND payments.id = oldest.payment), ("
        ));
        self.count_due("payments", &mut out)?;
        out.push_sql(") + (");
        self.count_due("fiscal_documents", &mut out)?;
        out.push_sql("), (SELECT min(due_at) FROM (");
        self.first_due("payments", &mut out)?;
        out.push_sql(" UNION ALL ");
        self.first_due("fiscal_documents", &mut out)?;
        out.push_sql(") AS either), (");
        count(LEFT_IN_PART, &mut out);
        out.push_sql(&format!("), (SELECT min(ended_at) FROM {LEFT_IN_PART}), ("));
        count(UNDELIVERED, &mut out);
        out.push_sql(&format!("), ({OLDEST_UNDELIVERED}), ("));
        count(FAILED_EMAILS, &mut out);
        out.push_sql(&format!("), (SELECT min(occurred_at) FROM {FAILED_EMAILS})"));
        Ok(())
    }
}

impl Lengths {
    fn count_due<'b>(&'b self, table: &str, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("SELECT count(*) FROM (SELECT 1 FROM ");
        self.due(table, out)?;
        out.push_sql(&format!(" LIMIT {COUNT_LIMIT}) AS counted"));
        Ok(())
    }

    fn first_due<'b>(&'b self, table: &str, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("SELECT due_at FROM (SELECT due_at FROM ");
        self.due(table, out)?;
        out.push_sql(" ORDER BY due_at LIMIT 1) AS first");
        Ok(())
    }

    /// What is due and nobody is at.
    fn due<'b>(&'b self, table: &str, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql(&format!("{table} WHERE due_at <= "));
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(" AND (lease_until IS NULL OR lease_until <= ");
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(")");
        Ok(())
    }
}

fn count(rows: &str, out: &mut AstPass<'_, '_, Backend>) {
    out.push_sql(&format!("SELECT count(*) FROM (SELECT 1 FROM {rows} LIMIT {COUNT_LIMIT}) AS counted"));
}
