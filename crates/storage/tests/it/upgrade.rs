//! What a database holds is there after a change of its schema.

use std::{fs, path::Path};

use diesel::{Connection, SqliteConnection, connection::SimpleConnection};
use domain::{
    EventId, EventKind,
    attempt::AttemptState,
    event::{EventRecord, Subject},
};
use ports::{Commit, SetupChange};
use storage::Sqlite;
use testkit::{
    contract::{Stores, done},
    sample,
};

/// Tables that the schema before splits has, in an order in which nothing refers to what is not there yet.
const TABLES: [&str; 7] = ["merchants", "profiles", "accounts", "payments", "fiscal_documents", "attempts", "events"];

const SPLITS: &str = "0009";
const ASIDES: &str = "0013";
const READINESS: &str = "0020";

/// SQLite changes no check of a table: the tables of payments and attempts are made anew.
#[tokio::test]
async fn a_sale_from_before_splits_is_there_afterwards() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    let paid = sample::paid(1);
    let attempt = sample::attempt(1).resolved(AttemptState::Approved, Some("r".to_owned()), sample::noon());
    {
        let store = Sqlite::open(&new).await.expect("a new file");
        store.migrate().await.expect("the migrations apply");
        let stores = Stores::of(store);
        stores.register_merchant().await;
        let commit = Commit { attempts: vec![attempt.clone()], ..sample::opened(&paid) };
        done(stores.sales.commit(commit).await, "a new sale");
    }
    before(SPLITS, &old, &new, &[]);

    let store = Sqlite::open(&old).await.expect("the file is there");
    assert!(!store.is_current().await.expect("the store answers"));
    store.migrate().await.expect("the migration applies to what is there");

    let stores = Stores::of(store);
    let found = stores.sales.find(&sample::tenant(), &sample::payment_id(1)).await.expect("the store answers");
    assert_eq!(found, Some(paid));
    let found = stores.sales.find_attempt(&sample::tenant(), &attempt.id).await.expect("the store answers");
    assert_eq!(found, Some(attempt));
    done(stores.sales.commit(sample::opened(&sample::shared(2, 3))).await, "a split can be stored now");
}

/// The table of payments is made anew once more.
#[tokio::test]
async fn a_split_from_before_asides_is_there_afterwards() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    let shared = sample::shared(1, 3);
    {
        let store = Sqlite::open(&new).await.expect("a new file");
        store.migrate().await.expect("the migrations apply");
        let stores = Stores::of(store);
        stores.register_merchant().await;
        done(stores.sales.commit(sample::opened(&shared)).await, "a new sale");
    }
    before(ASIDES, &old, &new, &[]);

    let store = Sqlite::open(&old).await.expect("the file is there");
    store.migrate().await.expect("the migration applies to what is there");

    let stores = Stores::of(store);
    let found = stores.sales.find(&sample::tenant(), &sample::payment_id(1)).await.expect("the store answers");
    assert_eq!(found, Some(shared));
    assert_eq!(stores.work.next_due().await.expect("the store answers"), found.expect("a sale").payment.due_at());
}

/// The table of notices is made anew, for those that are about an account.
#[tokio::test]
async fn a_notice_from_before_accounts_had_any_is_there_afterwards() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    let endpoint = sample::endpoint(1);
    let notice = EventRecord {
        id: EventId::new(&sample::symbols(7)),
        kind: EventKind::WebhookEndpointTest,
        created_at: sample::noon(),
        request: None,
        subject: Subject::Endpoint(Box::new(endpoint.clone())),
    };
    {
        let store = Sqlite::open(&new).await.expect("a new file");
        store.migrate().await.expect("the migrations apply");
        let stores = Stores::of(store);
        stores.register_merchant().await;
        let place = Box::new(endpoint.clone());
        let register = SetupChange::Endpoint { endpoint: place.clone(), sealed_secret: vec![1], limit: 9 };
        let test = SetupChange::EndpointTest { endpoint: place, event: Box::new(notice.clone()) };
        for (n, change) in [(1, register), (2, test)] {
            done(stores.setup.commit(sample::setup(n, change)).await, "there is no conflict");
        }
    }
    before(READINESS, &old, &new, &["webhook_endpoints", "notices"]);

    let store = Sqlite::open(&old).await.expect("the file is there");
    store.migrate().await.expect("the migration applies to what is there");

    let found = Stores::of(store).events.find(&sample::tenant(), &notice.id).await.expect("the store answers");
    assert_eq!(found, Some(notice));
}

/// Makes a database with the schema before that change at `old`, and copies into it what is in `new`.
fn before(change: &str, old: &Path, new: &Path, further: &[&str]) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
    let mut connection = SqliteConnection::establish(old.to_str().expect("a path that is text")).expect("a new file");
    let applied = "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
         run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)";
    connection.batch_execute(applied).expect("a table of Diesel's");
    let mut steps: Vec<_> =
        fs::read_dir(folder).expect("the migrations").map(|it| it.expect("an entry").path()).collect();
    steps.sort();
    for step in steps {
        let name = step.file_name().and_then(|it| it.to_str()).expect("a name that is text");
        let version = name.split('_').next().expect("a version");
        if version >= change {
            break;
        }
        let up = fs::read_to_string(step.join("up.sql")).expect("a script");
        connection.batch_execute(&up).unwrap_or_else(|error| panic!("{name}: {error}"));
        let note = format!("INSERT INTO __diesel_schema_migrations (version) VALUES ('{version}')");
        connection.batch_execute(&note).expect("a note");
    }
    connection.batch_execute(&format!("ATTACH '{}' AS new", new.display())).expect("the other file");
    for table in TABLES.iter().chain(further) {
        let columns = columns(&mut connection, table);
        let copy = format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM new.{table}");
        connection.batch_execute(&copy).unwrap_or_else(|error| panic!("{table}: {error}"));
    }
}

/// The columns that both have.
fn columns(connection: &mut SqliteConnection, table: &str) -> String {
    use diesel::RunQueryDsl;

    let query = format!(
        "SELECT group_concat(name, ', ') AS text FROM pragma_table_info('{table}', 'main') \
         WHERE name IN (SELECT name FROM pragma_table_info('{table}', 'new'))"
    );
    let columns: Vec<crate::raw::Line> = diesel::sql_query(query).load(connection).expect("a valid query");
    columns.into_iter().map(|it| it.text).collect()
}
