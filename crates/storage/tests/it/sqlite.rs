mod grouping;
mod pool;

use std::path::PathBuf;

use diesel::{Connection, RunQueryDsl, SqliteConnection, connection::SimpleConnection};
use storage::{SchemaError, Sqlite};
use tempfile::TempDir;
use testkit::contract::{Stores, done};

use crate::{
    plans, promises,
    raw::{Raw, TextRow},
    statements, upgrade,
};

testkit::contract_tests!(super::fresh);

/// Returns stores on a new file.
async fn fresh() -> (Stores, File) {
    let file = File(tempfile::tempdir().expect("a temporary folder"));
    let store = Sqlite::open(file.path()).await.expect("a new file");
    store.migrate().await.expect("the migrations apply");
    (Stores::of(store), file)
}

/// Folder of a database. Drop deletes the folder.
struct File(TempDir);

impl File {
    fn path(&self) -> PathBuf {
        self.0.path().join("cobro.db")
    }

    fn url(&self) -> String {
        self.path().to_str().expect("a path that is text").to_owned()
    }

    fn connect(&self) -> SqliteConnection {
        SqliteConnection::establish(&self.url()).expect("the file is there")
    }
}

impl Raw for File {
    async fn texts(&self, query: &str) -> Vec<String> {
        let rows: Vec<TextRow> = diesel::sql_query(query).load(&mut self.connect()).expect("a valid query");
        rows.into_iter().map(|row| row.text).collect()
    }

    fn hex(&self, column: &str) -> String {
        format!("lower(hex({column}))")
    }

    async fn run(&self, statement: &str) -> Result<(), String> {
        self.connect().batch_execute(statement).map_err(|error| error.to_string())
    }
}

crate::promise_tests!(fresh);

#[tokio::test]
async fn hot_statements_are_prepared_once() {
    statements::listen();
    let (stores, file) = fresh().await;

    let counted = statements::count(&stores, &file.url()).await;

    assert_eq!(counted.get("find").map(|it| it.statements), Some(1));
    // Between BEGIN and COMMIT: key, payment, document, token, two events, and their deliveries.
    assert_eq!(counted.get("create").map(|it| it.statements), Some(2 + 7));
    for name in statements::HOT {
        let again = counted.get(name).map(|it| it.prepared_again.iter().filter(|it| !is_bare(it)).count());
        assert_eq!(again, Some(0), "{name}");
    }
}

fn is_bare(statement: &str) -> bool {
    statement.starts_with("BEGIN") || statement.starts_with("COMMIT")
}

#[tokio::test]
async fn cursors_compare_the_columns_of_the_order() {
    statements::listen();
    let (stores, file) = fresh().await;

    let statements = plans::every_statement(&stores, &file.url()).await;

    assert!(plans::check_cursors(&statements) >= 10);
}

#[tokio::test]
async fn every_statement_uses_an_index() {
    statements::listen();
    let (stores, file) = fresh().await;

    for statement in plans::every_statement(&stores, &file.url()).await {
        let plan = plan(&file, &statement);
        // A part of the query is no table.
        let parts: Vec<&str> = plan.iter().filter_map(|it| it.strip_prefix("CO-ROUTINE ")).collect();
        let is_part = |name: &str| name.starts_with('(') || name == "CONSTANT ROW" || parts.contains(&name);
        let reads_all =
            |line: &String| line.strip_prefix("SCAN ").is_some_and(|it| !is_part(it)) && !line.contains("INDEX");
        assert!(!plan.iter().any(reads_all), "{statement}\n{}", plan.join("\n"));
    }
}

#[tokio::test]
async fn every_sql_file_is_sent_and_has_a_plan() {
    statements::listen();
    let (stores, file) = fresh().await;

    let sent = plans::every_statement(&stores, &file.url()).await;

    for sql in plans::SqlFile::all("sqlite") {
        let statement = sql.find(&sent).unwrap_or_else(|| panic!("{} was not sent", sql.name));
        assert!(!plan(&file, statement).is_empty(), "{statement}");
    }
}

#[tokio::test]
async fn filtered_lists_use_the_index_of_the_filter() {
    statements::listen();
    let (stores, file) = fresh().await;
    let lists = [
        ("`payments`.`status` = ?", "payments_by_status"),
        ("`payments`.`sale_reference` = ?", "payments_by_reference"),
        ("`payments`.`account` IN (?)", "payments_by_account"),
        ("`payments`.`created_at` >= ?", "payments_newest"),
        ("`fiscal_documents`.`invoice_number` = ?", "fiscal_documents_by_invoice"),
        ("`fiscal_documents`.`order_number` = ?", "fiscal_documents_by_order"),
        ("`refunds`.`status` = ?", "refunds_by_status"),
        ("`refunds`.`refund_reference` = ?", "refunds_by_reference"),
        ("`refunds`.`account` IN (?)", "refunds_by_account"),
        ("`refunds`.`payment` = ?))", "refunds_by_payment"),
        ("`refunds`.`created_at` >= ?", "refunds_newest"),
        ("`events`.`kind` IN (?)", "events_newest"),
        ("`events`.`occurred_at` >= ?", "events_newest"),
        ("`events`.`payment` = ?))", "events_by_payment"),
    ];

    let statements = plans::every_statement(&stores, &file.url()).await;

    for (filter, index) in lists {
        let is_filtered = |it: &&String| {
            it.contains(filter) && it.contains("LIMIT") && it.contains("`events`") == filter.contains("`events`")
        };
        let found: Vec<_> = statements.iter().filter(is_filtered).collect();
        assert!(!found.is_empty(), "{filter}");
        for statement in found {
            let plan = plan(&file, statement).join("\n");
            assert!(plan.contains(&format!("INDEX {index} (")), "{statement}\n{plan}");
        }
    }
}

fn plan(file: &File, statement: &str) -> Vec<String> {
    #[derive(diesel::QueryableByName)]
    struct Step {
        #[diesel(sql_type = diesel::sql_types::Text)]
        detail: String,
    }

    let explain = diesel::sql_query(format!("EXPLAIN QUERY PLAN {statement}"));
    let steps: Vec<Step> = explain.load(&mut file.connect()).unwrap_or_else(|error| panic!("{statement}: {error}"));
    steps.into_iter().map(|it| it.detail).collect()
}

#[tokio::test]
async fn a_new_file_is_not_current_until_it_is_migrated() {
    let file = File(tempfile::tempdir().expect("a temporary folder"));
    let store = Sqlite::open(file.path()).await.expect("a new file");

    let before = store.is_current().await.expect("the file is there");
    store.migrate().await.expect("the migrations apply");
    store.migrate().await.expect("there is nothing left to do");

    assert!(!before);
    assert!(store.is_current().await.expect("the file is there"));
}

#[tokio::test]
async fn a_file_of_the_first_release_is_migrated_with_its_rows() {
    let (stores, filled) = fresh().await;
    upgrade::fill(&stores).await;
    let file = File(tempfile::tempdir().expect("a temporary folder"));
    file.run(&upgrade::baseline("sqlite")).await.expect("the schema is legal");
    for table in upgrade::TABLES {
        let columns = file.texts(&format!("SELECT name AS text FROM pragma_table_info('{table}')")).await.join(", ");
        let copy = format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM filled.{table}");
        let copy = format!("ATTACH '{}' AS filled; {copy}; DETACH filled", filled.url());
        file.run(&copy).await.unwrap_or_else(|error| panic!("{table}: {error}"));
        assert_ne!(file.texts(&format!("SELECT 1 || '' AS text FROM {table}")).await, Vec::<String>::new(), "{table}");
    }

    let store = Sqlite::open(file.path()).await.expect("the file is there");
    store.migrate().await.expect("the migrations apply");

    upgrade::check(&Stores::of(store), &file).await;
    let violations = "SELECT \"table\" || ' ' || parent AS text FROM pragma_foreign_key_check";
    assert_eq!(file.texts(violations).await, Vec::<String>::new());
    assert_eq!(file.texts("SELECT integrity_check AS text FROM pragma_integrity_check").await, ["ok"]);
    // A file that grew has the schema of a new one.
    let schema = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS text FROM sqlite_master \
         WHERE name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY 1";
    assert_eq!(file.texts(schema).await, filled.texts(schema).await);
}

#[tokio::test]
async fn the_file_of_an_unreleased_version_is_refused_and_stays_as_it_is() {
    let file = File(tempfile::tempdir().expect("a temporary folder"));
    let store = Sqlite::open(file.path()).await.expect("a new file");
    file.run(testkit::unreleased::SCHEMA).await.expect("the tables are new");
    let tables = "SELECT name AS text FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let before = file.texts(tables).await;

    let is_current = store.is_current().await.expect_err("the schema is unreleased");
    let migrated = store.migrate().await.expect_err("the schema is unreleased");

    assert!(matches!(is_current, SchemaError::UnreleasedFile), "{is_current:?}");
    assert!(matches!(migrated, SchemaError::UnreleasedFile), "{migrated:?}");
    assert_eq!(file.texts(tables).await, before);
}

#[tokio::test]
async fn the_schema_of_a_newer_release_is_current() {
    let (_stores, file) = fresh().await;
    file.run("INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')").await.expect("a version");
    let store = Sqlite::open(file.path()).await.expect("the file is there");

    assert!(store.is_current().await.expect("the file is there"));
    store.migrate().await.expect("there is nothing left to do");
}

#[tokio::test]
async fn a_commit_is_on_the_disk_before_it_is_confirmed() {
    let (_stores, file) = fresh().await;

    let mode = file.texts("SELECT journal_mode AS text FROM pragma_journal_mode").await;

    assert_eq!(mode, ["wal"]);
}

#[tokio::test]
async fn a_commit_survives_reopening_the_file() {
    let file = File(tempfile::tempdir().expect("a temporary folder"));
    {
        let store = Sqlite::open(file.path()).await.expect("a new file");
        store.migrate().await.expect("the migrations apply");
        let stores = Stores::of(store);
        stores.register_merchant().await;
        done(stores.sales.commit(testkit::sample::creation(&testkit::sample::sale(1))).await, "a new sale");
    }

    let stores = Stores::of(Sqlite::open(file.path()).await.expect("the file is there"));

    let found = stores.sales.find(&testkit::sample::tenant(), &testkit::sample::payment_id(1)).await;
    assert_eq!(found.expect("the store answers"), Some(testkit::sample::sale(1)));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_unavailable() {
    let file = File(tempfile::tempdir().expect("a temporary folder"));
    std::fs::write(file.path(), "no database, and longer than the header of one: ".repeat(100)).expect("a file");

    let Err(refused) = Sqlite::open(file.path()).await else { panic!("it must not be trusted") };

    assert_eq!(refused.to_string(), "the database is unavailable");
}

#[tokio::test]
async fn every_reference_stays_within_its_tenant() {
    let (_stores, file) = fresh().await;

    let loose = file
        .texts(
            "SELECT it.name || ' -> ' || its.\"table\" AS text FROM sqlite_master it, pragma_foreign_key_list(it.name) its \
             WHERE it.type = 'table' AND its.\"table\" <> 'merchants' GROUP BY it.name, its.id HAVING 2 <> \
             sum(its.\"from\" IN ('merchant', 'mode') AND coalesce(its.\"to\", its.\"from\") = its.\"from\")",
        )
        .await;

    assert_eq!(loose, Vec::<String>::new());
}

#[tokio::test]
async fn every_unique_key_begins_with_its_tenant() {
    let (_stores, file) = fresh().await;

    let global = file
        .texts(
            "SELECT it.name || ' (' || (SELECT group_concat(name, ', ') FROM pragma_index_info(its.name)) || ')' AS text \
             FROM sqlite_master it, pragma_index_list(it.name) its \
             WHERE it.type = 'table' AND it.name NOT IN ('merchants', '__diesel_schema_migrations') AND its.\"unique\" \
             AND (SELECT group_concat(name, ', ') FROM pragma_index_info(its.name)) NOT LIKE 'merchant, mode%' ORDER BY 1",
        )
        .await;

    assert_eq!(global, crate::promises::KEYS_WITHOUT_A_TENANT);
}
