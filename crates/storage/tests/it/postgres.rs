mod database;
mod failures;
mod grouping;
mod keys;
mod numbering;
mod plenty;
mod row_security;
mod statistics;
mod template;

use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use ports::TaxpayerRegister;
use storage::{Postgres, SchemaError};
use testkit::contract::Stores;

use self::database::Database;
use crate::{
    plans, promises,
    raw::{Raw, TextRow},
    statements, upgrade,
};

testkit::contract_tests!(super::fresh);

/// Returns stores on a new database.
async fn fresh() -> (Stores, Database) {
    let database = Database::fresh().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");
    (Stores::of(store), database)
}

impl Raw for Database {
    async fn texts(&self, query: &str) -> Vec<String> {
        let mut connection = AsyncPgConnection::establish(self.superusers_url()).await.expect("the database answers");
        let rows: Vec<TextRow> = diesel::sql_query(query).load(&mut connection).await.expect("a valid query");
        rows.into_iter().map(|row| row.text).collect()
    }

    fn hex(&self, column: &str) -> String {
        format!("encode({column}, 'hex')")
    }

    async fn run(&self, statement: &str) -> Result<(), String> {
        let mut connection = AsyncPgConnection::establish(self.superusers_url()).await.expect("the database answers");
        connection.batch_execute(statement).await.map_err(|error| error.to_string())
    }
}

crate::promise_tests!(fresh);

#[tokio::test]
async fn a_commit_is_one_round_trip_and_hot_statements_are_prepared_once() {
    statements::listen();
    let (stores, database) = fresh().await;

    let counted = statements::count(&stores, database.url()).await;

    let cost = |name: &str| counted.get(name).map(|it| (it.statements, it.round_trips));
    let alone = ["create", "submit", "settle", "allot", "issue", "find", "find event", "claim", "tell endpoints"];
    let of_deliveries = ["claim deliveries", "next delivery", "recipients", "finish deliveries", "switch off"];
    for decision in alone.into_iter().chain(of_deliveries) {
        assert_eq!(cost(decision), Some((1, 1)), "{decision}");
    }
    assert_eq!(cost("setup"), Some((4, 1)));
    for name in statements::HOT {
        assert_eq!(counted.get(name).map(|it| it.prepared_again.as_slice()), Some([].as_slice()), "{name}");
    }
}

#[tokio::test]
async fn cursors_compare_the_columns_of_the_order() {
    statements::listen();
    let (stores, database) = fresh().await;

    let statements = plans::every_statement(&stores, database.url()).await;

    assert!(plans::check_cursors(&statements) >= 10);
}

#[tokio::test]
async fn every_statement_uses_an_index() {
    statements::listen();
    let (stores, database) = fresh().await;

    for statement in plans::every_statement(&stores, database.url()).await {
        let plan = plan(&database, &statement).await;
        assert!(!plan.iter().any(|line| line.contains("Seq Scan")), "{statement}\n{}", plan.join("\n"));
    }
}

#[tokio::test]
async fn every_sql_file_is_sent_and_has_a_plan() {
    statements::listen();
    let (stores, database) = fresh().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");

    let mut sent = plans::every_statement(&stores, database.url()).await;
    import_register(&store).await;
    sent.extend(statements::take(database.url()).statements);

    // `set_tenant` precedes every statement, and is not in the log.
    for file in plans::SqlFile::all("postgres").into_iter().filter(|file| file.name != "set_tenant") {
        let statement = file.find(&sent).unwrap_or_else(|| panic!("{} was not sent", file.name));
        assert!(!plan(&database, statement).await.is_empty(), "{statement}");
    }
}

/// Uses every statement of the register of taxpayers.
async fn import_register(store: &Postgres) {
    let now = testkit::sample::noon();
    let copy = store.begin(now, now).await.expect("the database answers");
    store.add(copy, Vec::new()).await.expect("the database answers");
    store.count(copy).await.expect("the database answers");
    store.publish(copy).await.expect("the database answers");
    store.in_force().await.expect("the database answers");
    store.look_up(&testkit::sample::issued(1).document.facts.issuer.rnc).await.expect("the database answers");
    store.tidy(now).await.expect("the database answers");
    store.discard(copy).await.expect("the database answers");
}

/// Returns the generic plan of a statement. A plan with a sequential scan has no alternative.
async fn plan(database: &Database, statement: &str) -> Vec<String> {
    use diesel::{deserialize::QueryableByName, sql_types::Text};

    #[derive(QueryableByName)]
    struct Step {
        #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
        line: String,
    }

    let mut connection = AsyncPgConnection::establish(database.url()).await.expect("the database answers");
    let prepare =
        format!("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; PREPARE statement AS {statement}");
    connection.batch_execute(&prepare).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    let values = (1..).take_while(|n| statement.contains(&format!("${n}"))).map(|_| "NULL").collect::<Vec<_>>();
    let execute = match values.as_slice() {
        [] => "EXPLAIN EXECUTE statement".to_owned(),
        values => format!("EXPLAIN EXECUTE statement({})", values.join(", ")),
    };
    let steps: Vec<Step> = diesel::sql_query(execute).load(&mut connection).await.expect("a plan");
    steps.into_iter().map(|it| it.line).collect()
}

#[tokio::test]
async fn a_bare_database_is_not_current_until_it_is_migrated() {
    let database = Database::bare().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");

    let before = store.is_current().await.expect("the database answers");
    let (one, two) = tokio::join!(store.migrate(), store.migrate());

    assert!(!before);
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    assert!(store.is_current().await.expect("the database answers"));
}

#[tokio::test]
async fn a_database_of_the_first_release_is_migrated_with_its_rows() {
    let (stores, filled) = fresh().await;
    upgrade::fill(&stores).await;
    let database = Database::bare().await;
    // The role of the program owns the tables, as after its own migration.
    let schema = format!("SET ROLE cobro_held; {}", upgrade::baseline("postgres"));
    database.run(&schema).await.expect("the schema is legal");
    for table in upgrade::TABLES {
        let rows = filled.texts(&format!("SELECT row_to_json({table})::text AS text FROM {table}")).await;
        assert_ne!(rows, Vec::<String>::new(), "{table}");
        for row in rows {
            let row = row.replace('\'', "''");
            // Columns of later migrations are ignored.
            let copy = format!("INSERT INTO {table} SELECT * FROM json_populate_record(NULL::{table}, '{row}')");
            let copy = format!("SET session_replication_role = replica; {copy}");
            database.run(&copy).await.unwrap_or_else(|error| panic!("{table}: {error}"));
        }
    }

    let store = Postgres::connect(database.url()).await.expect("the database answers");
    store.migrate().await.expect("the migrations apply");

    upgrade::check(&Stores::of(store), &database).await;
    let unforced = "SELECT relname::text AS text FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity";
    assert_eq!(database.texts(unforced).await, Vec::<String>::new(), "row security applies to the owner again");
}

#[tokio::test]
async fn the_database_of_an_unreleased_version_is_refused_and_stays_as_it_is() {
    let database = Database::bare().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");
    database.run(testkit::unreleased::SCHEMA).await.expect("the tables are new");
    let tables = "SELECT tablename::text AS text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";
    let before = database.texts(tables).await;

    let is_current = store.is_current().await.expect_err("the schema is unreleased");
    let migrated = store.migrate().await.expect_err("the schema is unreleased");

    assert!(matches!(is_current, SchemaError::UnreleasedDatabase), "{is_current:?}");
    assert!(matches!(migrated, SchemaError::UnreleasedDatabase), "{migrated:?}");
    assert_eq!(database.texts(tables).await, before);
}

#[tokio::test]
async fn the_schema_of_a_newer_release_is_current() {
    let (_stores, database) = fresh().await;
    database.run("INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')").await.expect("a version");
    let store = Postgres::connect(database.url()).await.expect("the database answers");

    assert!(store.is_current().await.expect("the database answers"));
    store.migrate().await.expect("there is nothing left to do");
}

#[tokio::test]
async fn artifacts_are_compressed_with_lz4_if_the_server_has_it() {
    let (_stores, database) = fresh().await;

    let known =
        "SELECT ('lz4' = ANY (enumvals))::text AS text FROM pg_settings WHERE name = 'default_toast_compression'";
    let used = "SELECT (attcompression = 'l')::text AS text FROM pg_attribute \
        WHERE attrelid = 'artifacts'::regclass AND attname = 'bytes'";

    assert_eq!(database.texts(used).await, database.texts(known).await);
}

#[tokio::test]
async fn a_database_that_may_lose_commits_is_refused() {
    let database = Database::fresh().await;
    let name = database.url().rsplit_once('/').expect("a url").1;
    database.run(&format!("ALTER DATABASE {name} SET synchronous_commit = off")).await.expect("we own it");

    let Err(refused) = Postgres::connect(database.url()).await else { panic!("it must not be trusted") };

    assert!(refused.source.to_string().contains("synchronous_commit"), "{refused:?}");
}

#[tokio::test]
async fn a_missing_server_is_unavailable() {
    let Err(refused) = Postgres::connect("postgres://cobro:secret@127.0.0.1:1/cobro").await else {
        panic!("there is no server")
    };

    assert_eq!(refused.to_string(), "the database is unavailable");
    assert!(!format!("{refused:?}").contains("secret"));
}

#[tokio::test]
async fn waiting_for_a_connection_has_a_timeout() {
    use ports::SaleStore;

    let database = Database::fresh().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");
    let mut blocker = AsyncPgConnection::establish(database.url()).await.expect("the database answers");
    blocker.batch_execute("BEGIN; LOCK TABLE payments IN ACCESS EXCLUSIVE MODE").await.expect("a lock");
    let find = |n| {
        let store = store.clone();
        async move { store.find(&testkit::sample::tenant(), &testkit::sample::payment_id(n)).await }
    };
    let waiting: Vec<_> = (0..8).map(|n| tokio::spawn(find(n))).collect();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;

    let one_too_many = find(99).await.expect_err("every connection waits for the lock");
    blocker.batch_execute("COMMIT").await.expect("the lock ends");

    assert!(one_too_many.source.to_string().contains("in time"), "{one_too_many:?}");
    for found in waiting {
        assert_eq!(found.await.expect("no search panics").expect("the lock is gone"), None);
    }
}

#[tokio::test]
async fn the_database_times_out_before_the_caller() {
    use ports::SaleStore;

    let database = Database::fresh().await;
    let store = Postgres::connect(database.url()).await.expect("the database answers");
    let mut blocker = AsyncPgConnection::establish(database.url()).await.expect("the database answers");
    blocker.batch_execute("BEGIN; LOCK TABLE payments IN ACCESS EXCLUSIVE MODE").await.expect("a lock");

    let found = store.find(&testkit::sample::tenant(), &testkit::sample::payment_id(1)).await;
    blocker.batch_execute("COMMIT").await.expect("the lock ends");

    let refused = found.expect_err("the lock is never let go");
    assert!(refused.source.to_string().contains("lock timeout"), "{refused:?}");
    let idle = "SELECT count(*)::text AS text FROM pg_stat_activity WHERE datname = current_database() \
        AND state = 'active' AND wait_event_type = 'Lock'";
    assert_eq!(database.texts(idle).await, ["0"], "no statement runs without a caller");
}
