//! The database that test databases are copies of. The tests of `rest` include this file, too.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use storage::Postgres;
use testkit::database_role;

/// Key of the advisory lock under which the template is created. The number is arbitrary.
const LOCK: i64 = 5_120_774_631_902_288;

/// Returns the name of a migrated database without content, on the server of the superuser's
/// address `base`.
///
/// The name contains a hash of the migrations, so that all test processes share one template. The first one creates
/// the database under another name, and renames it at the end: no other process sees an unfinished template.
pub(crate) async fn template(base: &str) -> String {
    let name = format!("cobro_template_{:016x}", hash_of_migrations());
    let mut connection = AsyncPgConnection::establish(base).await.expect("TEST_DATABASE_URL names a server");
    run(&mut connection, &format!("SELECT pg_advisory_lock({LOCK})")).await;
    let find = diesel::sql_query(format!("SELECT FROM pg_database WHERE datname = '{name}'"));
    if find.execute(&mut connection).await.expect("the database answers") == 0 {
        let unfinished = format!("{name}_unfinished");
        run(&mut connection, &format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await;
        run(&mut connection, database_role::CREATE_ROLE).await;
        run(&mut connection, &format!("CREATE DATABASE {unfinished} {}", database_role::OWNER_CLAUSE)).await;
        migrate(&database_role::url(base, &unfinished)).await;
        rename(&mut connection, &unfinished, &name).await;
    }
    run(&mut connection, &format!("SELECT pg_advisory_unlock({LOCK})")).await;
    name
}

async fn migrate(url: &str) {
    let store = Postgres::connect(url).await.expect("the database answers");
    store.migrate().await.expect("the migrations apply");
}

/// Renames a database. The connections of `migrate` take a moment to close.
async fn rename(connection: &mut AsyncPgConnection, from: &str, to: &str) {
    let rename = format!("ALTER DATABASE {from} RENAME TO {to}");
    for _ in 0..100 {
        match connection.batch_execute(&rename).await {
            Ok(()) => return,
            Err(error) if error.to_string().contains("accessed by other users") => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(error) => panic!("{rename}: {error}"),
        }
    }
    panic!("{rename}: the database stays in use");
}

async fn run(connection: &mut AsyncPgConnection, statement: &str) {
    connection.batch_execute(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn hash_of_migrations() -> u64 {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../storage/migrations/postgres");
    let migrations = fs::read_dir(folder).expect("a folder of migrations");
    let mut files: Vec<_> = migrations.map(|entry| entry.expect("an entry").path().join("up.sql")).collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(&file).expect("a migration").hash(&mut hasher);
    }
    hasher.finish()
}
