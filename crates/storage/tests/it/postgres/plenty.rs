//! A claim of deliveries reads a bounded number of rows, independent of the length of the queues.

use chrono::TimeDelta;
use diesel::{deserialize::QueryableByName, sql_types::Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use ports::{ClaimLimits, SetupChange, WebhookClaim};
use storage::Postgres;
use testkit::{
    contract::{Stores, done},
    sample,
};

use super::{Database, fresh, row_security::session};
use crate::{
    raw::Raw,
    statements::{listen, take},
};

/// Queued deliveries of each endpoint, all with the same due time, as after a replay.
const WAITING: i64 = 25_000;
const ENDPOINTS: u32 = 2;
const ROOM: ClaimLimits = ClaimLimits { all: 40, each: 32 };

/// Maximum number of rows that a statement reads: the leased rows of each endpoint, the rows to lease, and two steps of the
/// index for each endpoint. The number does not depend on the length of the queues.
const MOST_READ: i64 = 400;

#[tokio::test]
async fn claims_do_not_read_the_whole_queue() {
    listen();
    let (stores, database) = fresh().await;
    register(&stores).await;
    let_wait(&database, WAITING, "1").await;
    take(database.url());

    let (now, lease_until) = (sample::noon(), sample::noon() + TimeDelta::minutes(1));
    let claim = WebhookClaim::of_any(now, lease_until, ROOM);
    let first = stores.webhooks.claim(&claim).await.expect("the store answers");
    let second = stores.webhooks.claim(&claim).await.expect("the store answers");
    let due = stores.webhooks.next_due().await.expect("the store answers");
    let statements = take(database.url()).statements;

    assert_eq!((first.len(), second.len()), (40, 24), "with those in flight no endpoint has more than its room");
    assert!(due.is_some_and(|it| it < now), "{due:?}");
    let mut session = session(&database, "", "", "work").await;
    let claims = statements.iter().find(|it| it.contains("SET lease_until =")).expect("a claim");
    let (due, until) = (now.timestamp_millis(), lease_until.timestamp_millis());
    let values = format!("(32, 40, 32, 40, '{{}}', 32, 40, '{{}}', {due}, {due}, {due}, {until})");
    let read = rows_read(&mut session, claims, &values).await;
    assert!(read > 0 && read < MOST_READ, "{read} rows are read to claim some");
    let next = statements.iter().find(|it| it.contains("SELECT min(first.due)")).expect("a look at what is next");
    let read = rows_read(&mut session, next, "").await;
    assert!(read > 0 && read < MOST_READ, "{read} rows are read to say when the next is due");
}

/// Leased deliveries may be newer than queued ones: a replay enqueues older events.
#[tokio::test]
async fn older_deliveries_wait_for_a_free_slot() {
    let (stores, database) = fresh().await;
    register(&stores).await;
    let_wait(&database, 100, "1").await;
    let (now, lease_until) = (sample::noon(), sample::noon() + TimeDelta::minutes(1));
    let claim = WebhookClaim::of_any(now, lease_until, ClaimLimits { all: 1000, ..ROOM });

    let first = stores.webhooks.claim(&claim).await.expect("the store answers");
    let_wait(&database, 100, "1000 + n").await;
    let second = stores.webhooks.claim(&claim).await.expect("the store answers");

    assert_eq!((first.len(), second.len()), (64, 0));
}

/// Blocks claims after they have locked their rows.
const GATE: &str = "CREATE FUNCTION wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql AS \
     $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$; \
     CREATE TRIGGER gate BEFORE UPDATE ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION wait_at_the_gate()";
const WAITING_HERE: &str = "SELECT count(*)::text AS text FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// The second claim reads a snapshot from before the first lease.
#[tokio::test]
async fn two_that_claim_at_one_moment_have_no_more_of_an_endpoint_than_there_is_room() {
    let (stores, database) = fresh().await;
    register(&stores).await;
    let_wait(&database, 100, "1").await;
    database.run(GATE).await.expect("a gate");
    let mut keeper = AsyncPgConnection::establish(database.superusers_url()).await.expect("the database answers");
    keeper.batch_execute("SELECT pg_advisory_lock(1)").await.expect("the gate is open");
    let other = Stores::of(Postgres::connect(database.url()).await.expect("the database answers"));
    let (now, lease_until) = (sample::noon(), sample::noon() + TimeDelta::minutes(1));
    let claim = WebhookClaim::of_any(now, lease_until, ClaimLimits { all: 1000, each: 3 });

    let claims = [stores, other].map(|it| {
        let claim = claim.clone();
        tokio::spawn(async move { it.webhooks.claim(&claim).await })
    });
    while database.texts(WAITING_HERE).await != ["2"] {
        tokio::task::yield_now().await;
    }
    keeper.batch_execute("SELECT pg_advisory_unlock(1)").await.expect("the gate is ours");
    let mut claimed = Vec::new();
    for it in claims {
        claimed.push(it.await.expect("no claim panics").expect("the store answers").len());
    }

    claimed.sort_unstable();
    assert_eq!(claimed, [0, 3 * ENDPOINTS as usize]);
}

async fn register(stores: &Stores) {
    stores.register_merchant().await;
    for n in 1..=ENDPOINTS {
        let endpoint = Box::new(sample::endpoint(n));
        let change = SetupChange::Endpoint { endpoint, sealed_secret: vec![1], limit: 16 };
        done(stores.setup.commit(sample::setup(n, change)).await, "there is room");
    }
}

/// Enqueues deliveries for each endpoint.
async fn let_wait(database: &Database, many: i64, waited: &str) {
    let (payment, noon) = (sample::payment_id(1), sample::noon().timestamp_millis());
    let insert = format!(
        "SET session_replication_role = replica; INSERT INTO webhook_deliveries \
         (merchant, mode, endpoint, occurred_at, subject, sequence, kind, attempts, status, due_at) \
         SELECT merchant, mode, id, {noon} - ({waited}), '{payment}', n, 'payment.created', 0, 'pending', \
         {noon} - ({waited}) FROM webhook_endpoints CROSS JOIN generate_series(1, {many}) n; \
         ANALYZE webhook_deliveries"
    );
    database.run(&insert).await.expect("rows that may be");
}

/// Returns the number of rows that a statement reads, with those that it filters out. Rolls back the writes.
async fn rows_read(session: &mut AsyncPgConnection, statement: &str, values: &str) -> i64 {
    #[derive(QueryableByName)]
    struct Step {
        #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
        line: String,
    }

    session.batch_execute(&format!("DEALLOCATE ALL; BEGIN; PREPARE asked AS {statement}")).await.expect("a statement");
    let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE asked{values}");
    let steps: Vec<Step> = diesel::sql_query(explain).load(session).await.expect("a plan");
    session.batch_execute("ROLLBACK").await.expect("the transaction is rolled back");
    let (mut read, mut loops) = (0, 0);
    for line in steps.iter().map(|it| it.line.as_str()) {
        if line.contains("Scan") {
            // As in "-> Index Scan using … on … (actual rows=32 loops=2)"; a scan that did not run has "never executed".
            loops = number(line, "loops=").unwrap_or_default() * i64::from(line.contains(" on webhook_deliveries"));
            read += number(line, "rows=").unwrap_or_default() * loops;
            assert!(!line.contains("Seq Scan on webhook_deliveries"), "{line}");
        } else if let Some(removed) = number(line, "Rows Removed by Filter: ") {
            read += removed * loops;
        }
    }
    read
}

/// Returns the integer after `name`.
fn number(line: &str, name: &str) -> Option<i64> {
    let (_, rest) = line.split_once(name)?;
    rest.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}
