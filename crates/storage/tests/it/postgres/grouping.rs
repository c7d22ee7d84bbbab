//! Group commit: concurrent commits in one transaction, each with its own result.

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use ports::{Committed, Unavailable};
use testkit::{
    contract::{Stores, done},
    sample,
};
use tokio::task::{JoinHandle, yield_now};

use super::{Database, fresh};
use crate::{
    raw::Raw,
    statements::{listen, take},
};

/// Transactions of a runtime that run at the same time.
const PERMITS: u32 = 2;
const WAITING: &str = "SELECT count(*)::text AS text FROM pg_stat_activity WHERE datname = current_database() \
    AND wait_event_type = 'Lock'";
const PAYMENTS: &str = "SELECT count(*)::text AS text FROM payments";

type Pending = JoinHandle<Result<Committed, Unavailable>>;

#[tokio::test]
async fn queued_commits_share_a_transaction() {
    listen();
    let (stores, database) = fresh().await;
    stores.register_merchant().await;

    let results = while_payments_are_locked(&stores, &database, 20).await;

    assert!(results.iter().all(|it| matches!(it, Ok(Committed::Done))), "{results:?}");
    let statements = take(database.url()).statements;
    assert_eq!(count(&statements, "BEGIN"), 1);
    assert_eq!(count(&statements, "INSERT INTO \"payments\""), 20, "no commit ran twice");
    assert_eq!(database.texts(PAYMENTS).await, ["20"]);
}

#[tokio::test]
async fn a_refused_commit_fails_alone() {
    let (stores, database) = fresh().await;
    stores.register_merchant().await;
    for n in [10, 15] {
        done(stores.sales.commit(sample::creation(&sample::sale(n))).await, "a new sale");
    }

    let results = while_payments_are_locked(&stores, &database, 20).await;

    for (n, result) in (1..).zip(&results) {
        let is_refused = [10, 15].contains(&n);
        assert_eq!(matches!(result, Ok(Committed::Stale)), is_refused, "{n}: {result:?}");
        assert_eq!(matches!(result, Ok(Committed::Done)), !is_refused, "{n}: {result:?}");
    }
    assert_eq!(database.texts(PAYMENTS).await, ["20"]);
}

/// Both are the first commits of their key: the transaction of both is refused, and one of them alone is not.
#[tokio::test]
async fn of_commits_with_one_key_one_is_done() {
    let (stores, database) = fresh().await;
    stores.register_merchant().await;
    let gate = shut(&database).await;
    let mut pending: Vec<_> = (1..=PERMITS).map(|n| commit(&stores, n, n)).collect();
    wait_for(&database, PERMITS).await;

    pending.extend([3, 4, 5].map(|n| commit(&stores, n, 99)));
    yield_now().await;
    open(gate).await;

    let mut counts = [0, 0];
    for result in all(pending).await {
        match result {
            Ok(Committed::Done) => counts[0] += 1,
            Ok(Committed::KeyTaken) => counts[1] += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(counts, [3, 2]);
}

#[tokio::test]
async fn an_error_of_one_commit_is_not_an_error_of_the_others() {
    for sqlstate in ["40P01", "53100", "55P03", "57014", "XX000"] {
        let (stores, database) = fresh().await;
        stores.register_merchant().await;
        fail_at(&database, 10, &format!("RAISE EXCEPTION 'no' USING ERRCODE = '{sqlstate}'")).await;

        let results = while_payments_are_locked(&stores, &database, 20).await;

        for (n, result) in (1..).zip(&results) {
            assert_eq!(result.is_err(), n == 10, "{sqlstate}, {n}: {result:?}");
        }
        assert_eq!(database.texts(PAYMENTS).await, ["19"]);
    }
}

/// The server ends the session within the transaction: no caller learns of a commit that is not stored.
#[tokio::test]
async fn a_lost_session_leaves_each_result_unknown() {
    let (stores, database) = fresh().await;
    stores.register_merchant().await;
    fail_at(&database, 10, "PERFORM pg_terminate_backend(pg_backend_pid())").await;

    let results = while_payments_are_locked(&stores, &database, 20).await;

    let done = results.iter().filter(|it| it.is_ok()).count();
    assert_eq!(done, usize::try_from(PERMITS).expect("a small number"), "{results:?}");
    assert_eq!(database.texts(PAYMENTS).await, [PERMITS.to_string()]);
    database.run("DROP TRIGGER fail ON payments").await.expect("a trigger");
    for n in PERMITS + 1..=20 {
        let again = stores.sales.commit(sample::creation(&sample::sale(n))).await;
        assert!(matches!(again, Ok(Committed::Done)), "{n}: {again:?}");
    }
}

/// Two callers have a permit each; the third is dropped while its commit is queued.
#[tokio::test]
async fn a_dropped_commit_does_not_run() {
    let (stores, database) = fresh().await;
    stores.register_merchant().await;
    let gate = shut(&database).await;
    let mut pending: Vec<_> = (1..=PERMITS).map(|n| commit(&stores, n, n)).collect();
    wait_for(&database, PERMITS).await;
    let dropped = commit(&stores, 3, 3);
    pending.push(commit(&stores, 4, 4));
    yield_now().await;

    dropped.abort();
    pending.remove(0).abort();
    yield_now().await;
    open(gate).await;

    let results = all(pending).await;
    assert!(results.iter().all(|it| matches!(it, Ok(Committed::Done))), "{results:?}");
    let third = stores.sales.commit(sample::creation(&sample::sale(3))).await;
    assert!(matches!(third, Ok(Committed::Done)), "{third:?}");
}

/// A task that is spawned within the end of its runtime is dropped at once, and must not spawn the next one.
#[test]
fn the_end_of_a_runtime_drops_queued_commits() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (database, stores) = runtime.block_on(async {
        let (stores, database) = fresh().await;
        stores.register_merchant().await;
        let _gate = shut(&database).await;
        let pending: Vec<_> = (1..=PERMITS).map(|n| commit(&stores, n, n)).collect();
        wait_for(&database, PERMITS).await;
        let queued: Vec<_> = (PERMITS + 1..=20).map(|n| commit(&stores, n, n)).collect();
        yield_now().await;
        assert!(pending.iter().chain(&queued).all(|commit| !commit.is_finished()));
        (database, stores)
    });

    drop(runtime);

    drop((stores, database));
}

/// Returns the results of new sales that were committed while the first commits waited for a lock.
async fn while_payments_are_locked(
    stores: &Stores,
    database: &Database,
    sales: u32,
) -> Vec<Result<Committed, Unavailable>> {
    let gate = shut(database).await;
    take(database.url());
    let mut pending: Vec<_> = (1..=PERMITS).map(|n| commit(stores, n, n)).collect();
    wait_for(database, PERMITS).await;
    pending.extend((PERMITS + 1..=sales).map(|n| commit(stores, n, n)));
    yield_now().await;
    open(gate).await;
    all(pending).await
}

fn commit(stores: &Stores, n: u32, key: u32) -> Pending {
    let sales = stores.sales.clone();
    let mut commit = sample::creation(&sample::sale(n));
    commit.key = Some(ports::KeyChange { to: sample::key(key), based_on: None });
    tokio::spawn(async move { sales.commit(commit).await })
}

/// Blocks new payments until the gate opens.
async fn shut(database: &Database) -> AsyncPgConnection {
    let mut gate = AsyncPgConnection::establish(database.superusers_url()).await.expect("the database answers");
    gate.batch_execute("BEGIN; LOCK TABLE payments IN SHARE MODE").await.expect("the table is not locked");
    gate
}

async fn open(mut gate: AsyncPgConnection) {
    gate.batch_execute("COMMIT").await.expect("the transaction is open");
}

/// Waits until exactly that many statements wait for the lock.
async fn wait_for(database: &Database, statements: u32) {
    while database.texts(WAITING).await != [statements.to_string()] {
        yield_now().await;
    }
}

/// Runs an action before each insert of that payment.
async fn fail_at(database: &Database, n: u32, action: &str) {
    let id = sample::payment_id(n);
    let statement = format!(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN \
             IF NEW.id = '{id}' THEN {action}; END IF; RETURN NEW; END $$; \
         CREATE TRIGGER fail BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION fail()"
    );
    database.run(&statement).await.expect("a trigger");
}

fn count(statements: &[String], text: &str) -> usize {
    statements.iter().filter(|statement| statement.contains(text)).count()
}

async fn all(pending: Vec<Pending>) -> Vec<Result<Committed, Unavailable>> {
    let mut results = Vec::new();
    for commit in pending {
        results.push(commit.await.expect("no commit panics"));
    }
    results
}
