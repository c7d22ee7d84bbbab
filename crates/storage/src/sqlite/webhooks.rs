use diesel::{dsl::min, prelude::*, result::QueryResult, sql_types::Bool};
use ports::{ClaimLimits, EndpointHealth, Tenant, Unavailable, WebhookClaim};

use super::{AnyStatement, Backend, Sqlite};
use crate::{
    failure::unavailable,
    rows::{DueRow, FinishedColumns},
    schema::{webhook_deliveries, webhook_endpoints},
    time::millis,
    write::Update,
};

/// An enabled endpoint with queued deliveries: merchant, mode, identifier, and the time of the first failure.
type EndpointQueue = (String, String, String, Option<i64>);

impl Sqlite {
    /// Leases due deliveries, a limited number for each endpoint. The transaction is the only writer, so there is no
    /// concurrent claim.
    pub(super) async fn claim_deliveries(&self, claim: WebhookClaim) -> Result<Vec<DueRow>, Unavailable> {
        let lease = move |connection: &mut SqliteConnection| {
            let (failing, healthy): (Vec<_>, Vec<_>) =
                queues(connection)?.into_iter().partition(|it: &EndpointQueue| it.3.is_some());
            let is_fast = |it: &EndpointQueue| claim.fast_endpoints.iter().any(|fast| fast.as_str() == it.2);
            let (fast, healthy) = healthy.into_iter().partition(is_fast);
            let mut claimed = claim_of(connection, healthy, claim.healthy, &claim)?;
            claimed.extend(claim_of(connection, fast, claim.fast, &claim)?);
            claimed.extend(claim_of(connection, failing, claim.failing, &claim)?);
            QueryResult::Ok(claimed)
        };
        self.writer.run(move |connection| connection.immediate_transaction(lease).map_err(unavailable)).await
    }

    /// Stores the results of attempts, and the health of endpoints.
    pub(super) async fn finish_deliveries(
        &self,
        tenant: &Tenant,
        rows: FinishedColumns,
        health: Vec<EndpointHealth>,
    ) -> Result<(), Unavailable> {
        let (merchant, mode) = (tenant.merchant.to_string(), tenant.mode.as_str());
        let finish = move |connection: &mut SqliteConnection| {
            for n in 0..rows.endpoint.len() {
                let row = webhook_deliveries::table.find((
                    &merchant,
                    mode,
                    &rows.endpoint[n],
                    rows.occurred_at[n],
                    &rows.subject[n],
                    rows.sequence[n],
                ));
                diesel::update(row)
                    .filter(webhook_deliveries::lease_until.eq(rows.lease_until[n]))
                    .set((
                        webhook_deliveries::attempts.eq(rows.attempts[n]),
                        webhook_deliveries::status.eq(&rows.status[n]),
                        webhook_deliveries::due_at.eq(rows.due_at[n]),
                        webhook_deliveries::lease_until.eq(None::<i64>),
                        webhook_deliveries::ended_at.eq(rows.ended_at[n]),
                        webhook_deliveries::last_attempt_at.eq(rows.last_attempt_at[n]),
                        webhook_deliveries::last_result.eq(&rows.last_result[n]),
                        webhook_deliveries::last_duration.eq(rows.last_duration[n]),
                    ))
                    .execute(connection)?;
            }
            for found in &health {
                record_health(connection, (&merchant, mode), found)?;
            }
            QueryResult::Ok(())
        };
        self.writer.run(move |connection| connection.immediate_transaction(finish).map_err(unavailable)).await
    }

    /// Returns the time of the next due delivery or end of a lease.
    pub(super) async fn next_delivery(&self) -> Result<Option<i64>, Unavailable> {
        let next = |connection: &mut SqliteConnection| {
            let mut dues = Vec::new();
            for queue in queues(connection)? {
                let free = of(&queue).filter(webhook_deliveries::lease_until.is_null());
                dues.push(free.select(min(webhook_deliveries::due_at)).first::<Option<i64>>(connection)?);
                let leased = of(&queue).filter(webhook_deliveries::lease_until.is_not_null());
                // A lease ends after the delivery was due.
                dues.push(leased.select(min(webhook_deliveries::lease_until)).first::<Option<i64>>(connection)?);
            }
            QueryResult::Ok(dues.into_iter().flatten().min())
        };
        self.readers.run(move |connection| next(connection).map_err(unavailable)).await
    }
}

/// Stores the health of an endpoint, if it changed.
fn record_health(
    connection: &mut SqliteConnection,
    (merchant, mode): (&str, &str),
    found: &EndpointHealth,
) -> QueryResult<()> {
    let since = found.failing_since.map(millis);
    let may_replace = found.has_accepted.into_sql::<Bool>();
    let row = diesel::update(webhook_endpoints::table.find((merchant, mode, found.endpoint.as_str())))
        .filter(webhook_endpoints::failing_since.is_null().or(may_replace));
    row.set(webhook_endpoints::failing_since.eq(since)).execute(connection).map(drop)
}

fn queues(connection: &mut SqliteConnection) -> QueryResult<Vec<EndpointQueue>> {
    let waiting = webhook_deliveries::table
        .filter(webhook_deliveries::merchant.eq(webhook_endpoints::merchant))
        .filter(webhook_deliveries::mode.eq(webhook_endpoints::mode))
        .filter(webhook_deliveries::endpoint.eq(webhook_endpoints::id))
        .filter(webhook_deliveries::due_at.is_not_null());
    webhook_endpoints::table
        .filter(webhook_endpoints::disabled.is_null())
        .filter(webhook_endpoints::removed_at.is_null())
        .filter(diesel::dsl::exists(waiting))
        .select((
            webhook_endpoints::merchant,
            webhook_endpoints::mode,
            webhook_endpoints::id,
            webhook_endpoints::failing_since,
        ))
        .load(connection)
}

#[diesel::dsl::auto_type(no_type_alias)]
fn of(queue: &EndpointQueue) -> _ {
    let merchant: String = queue.0.clone();
    let mode: String = queue.1.clone();
    let endpoint: String = queue.2.clone();
    webhook_deliveries::table
        .filter(webhook_deliveries::merchant.eq(merchant))
        .filter(webhook_deliveries::mode.eq(mode))
        .filter(webhook_deliveries::endpoint.eq(endpoint))
        .filter(webhook_deliveries::due_at.is_not_null())
}

/// Leases due deliveries of these endpoints, the oldest first.
fn claim_of(
    connection: &mut SqliteConnection,
    queues: Vec<EndpointQueue>,
    room: ClaimLimits,
    claim: &WebhookClaim,
) -> QueryResult<Vec<DueRow>> {
    let (now, lease_until) = (millis(claim.now), millis(claim.lease_until));
    let mut due: Vec<(Option<i64>, DueRow)> = Vec::new();
    for queue in queues {
        let leased: i64 = of(&queue).filter(webhook_deliveries::lease_until.gt(now)).count().get_result(connection)?;
        let free = of(&queue)
            .filter(webhook_deliveries::due_at.le(now))
            .filter(webhook_deliveries::lease_until.is_null().or(webhook_deliveries::lease_until.le(now)))
            .order(webhook_deliveries::due_at)
            .limit((i64::from(room.each) - leased).max(0));
        let rows: Vec<(Option<i64>, i64, String, i64, i64)> = free
            .select((
                webhook_deliveries::due_at,
                webhook_deliveries::occurred_at,
                webhook_deliveries::subject,
                webhook_deliveries::sequence,
                webhook_deliveries::attempts,
            ))
            .load(connection)?;
        due.extend(rows.into_iter().map(|(due_at, occurred_at, subject, sequence, attempts)| {
            let (merchant, mode, endpoint, _) = queue.clone();
            (due_at, DueRow { merchant, mode, endpoint, occurred_at, attempts, lease_until, subject, sequence })
        }));
    }
    due.sort_by_key(|(due_at, _)| *due_at);
    let claimed: Vec<DueRow> = due.into_iter().map(|(_, row)| row).take(room.all.into()).collect();
    for row in &claimed {
        lease(row).execute(connection)?;
    }
    Ok(claimed)
}

fn lease(row: &DueRow) -> AnyStatement<Backend> {
    let only = webhook_deliveries::merchant
        .eq(row.merchant.clone())
        .and(webhook_deliveries::mode.eq(row.mode.clone()))
        .and(webhook_deliveries::endpoint.eq(row.endpoint.clone()))
        .and(webhook_deliveries::occurred_at.eq(row.occurred_at))
        .and(webhook_deliveries::subject.eq(row.subject.clone()))
        .and(webhook_deliveries::sequence.eq(row.sequence));
    let set = webhook_deliveries::lease_until.eq(row.lease_until).as_changeset();
    AnyStatement::statement(Update { table: "webhook_deliveries", set, only })
}
