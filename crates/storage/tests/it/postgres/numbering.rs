//! Batches of numbers: one transaction for each process at a time.

use std::collections::BTreeSet;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use domain::fiscal::{DocumentKind, NumberRange};
use storage::Postgres;
use testkit::{
    contract::{Stores, done, numbers::request},
    sample::{self, noon, tenant},
};
use tokio::task::{JoinHandle, yield_now};

use super::{Database, fresh};
use crate::{
    raw::Raw,
    statements::{listen, take},
};

/// Number of statements that wait for another transaction.
const AT_THE_GATE: &str = "SELECT count(*)::text AS text FROM pg_stat_activity WHERE datname = current_database() \
    AND wait_event_type = 'Lock'";

#[tokio::test]
async fn concurrent_requests_share_a_transaction_and_a_connection() {
    listen();
    let (stores, database) = fresh().await;
    prepare(&stores, 40).await;
    let gate = shut(&database).await;
    take(database.url());

    let mut asked = vec![ask(&stores, 1)];
    stand(&database, 1).await;
    asked.extend((2..=40).map(|n| ask(&stores, n)));
    yield_now().await;
    stand(&database, 1).await;
    open(gate).await;

    assert_eq!(all(asked).await, (1..=40).collect());
    let taken = take(database.url()).statements;
    assert_eq!(taken.iter().filter(|it| it.contains("INSERT INTO fiscal_numbers")).count(), 2);
}

/// The first request starts the batch of all requests.
#[tokio::test]
async fn a_dropped_request_does_not_stop_the_batch() {
    let (stores, database) = fresh().await;
    prepare(&stores, 10).await;
    let gate = shut(&database).await;

    let first = ask(&stores, 1);
    stand(&database, 1).await;
    let mut others: Vec<_> = (2..=10).map(|n| ask(&stores, n)).collect();
    yield_now().await;
    first.abort();
    others.remove(3).abort();
    yield_now().await;
    open(gate).await;
    let assigned = all(others).await;
    let again = all(vec![ask(&stores, 1), ask(&stores, 5)]).await;

    assert_eq!(assigned, (2..=9).collect());
    assert_eq!(again, [1, 10].into(), "what was taken for the first is bound to it, and nothing for who waited still");
}

#[tokio::test]
async fn processes_that_take_at_one_moment_leave_no_gap() {
    let (stores, database) = fresh().await;
    prepare(&stores, 20).await;
    let other = other(&database).await;
    let gate = shut(&database).await;

    let mut asked: Vec<_> = (1..=10).map(|n| ask(&stores, n)).collect();
    asked.extend((11..=20).map(|n| ask(&other, n)));
    stand(&database, 2).await;
    open(gate).await;

    assert_eq!(all(asked).await, (1..=20).collect());
}

/// The second statement sees neither the new number nor a free one.
#[tokio::test]
async fn a_revision_that_two_processes_number_at_one_moment_has_the_last_number_once() {
    let (stores, database) = fresh().await;
    prepare(&stores, 1).await;
    database.run("UPDATE number_ranges SET last = first").await.expect("one number is left");
    let other = other(&database).await;
    let gate = shut(&database).await;

    let asked = vec![ask(&stores, 1), ask(&other, 1)];
    stand(&database, 2).await;
    open(gate).await;

    assert_eq!(all(asked).await, [1].into());
}

/// The new range is older than all others, and was inserted after the statement began.
#[tokio::test]
async fn the_rest_of_a_shortened_range_precedes_a_newer_range() {
    let (stores, database) = fresh().await;
    prepare(&stores, 2).await;
    let younger =
        NumberRange { first: 1_000_001, last: 1_000_100, next: 1_000_001, ..sample::range(DocumentKind::Consumer) };
    stores.registry.add_range(&tenant(), younger, noon() + chrono::TimeDelta::hours(1)).await.expect("it fits");
    all(vec![ask(&stores, 1)]).await;
    let mut cut = AsyncPgConnection::establish(database.superusers_url()).await.expect("the database answers");
    let cuts = "BEGIN; UPDATE number_ranges SET last = 1 WHERE kind = 'consumer' AND first = 1; \
        INSERT INTO number_ranges SELECT issuer, environment, kind, 5, 9, 5, valid_until, merchant, mode, created_at \
        FROM number_ranges WHERE kind = 'consumer' AND first = 1";
    cut.batch_execute(cuts).await.expect("a cut");

    let asked = ask(&stores, 2);
    stand(&database, 1).await;
    open(cut).await;

    assert_eq!(all(vec![asked]).await, [5].into());
}

/// Creates a merchant and documents without numbers.
async fn prepare(stores: &Stores, documents: u32) {
    stores.register_merchant().await;
    for n in 1..=documents {
        done(stores.sales.commit(sample::creation(&sample::paid(n))).await, "a new sale");
    }
}

/// Returns stores of another process on the same database.
async fn other(database: &Database) -> Stores {
    Stores::of(Postgres::connect(database.url()).await.expect("the database answers"))
}

/// Blocks the assignment of numbers until the gate opens.
async fn shut(database: &Database) -> AsyncPgConnection {
    let mut gate = AsyncPgConnection::establish(database.superusers_url()).await.expect("the database answers");
    gate.batch_execute("BEGIN; SELECT FROM number_ranges FOR UPDATE").await.expect("the ranges are not locked");
    gate
}

async fn open(mut gate: AsyncPgConnection) {
    gate.batch_execute("COMMIT").await.expect("it is ours");
}

/// Waits until exactly that many statements wait at the gate.
async fn stand(database: &Database, many: usize) {
    while database.texts(AT_THE_GATE).await != [many.to_string()] {
        yield_now().await;
    }
}

fn ask(stores: &Stores, n: u32) -> JoinHandle<u64> {
    let numbers = stores.numbers.clone();
    tokio::spawn(async move { numbers.assign(request(n)).await.expect("numbers are left").number.sequence() })
}

async fn all(asked: Vec<JoinHandle<u64>>) -> BTreeSet<u64> {
    let mut given = BTreeSet::new();
    for it in asked {
        given.insert(it.await.expect("no numbering panics"));
    }
    given
}
