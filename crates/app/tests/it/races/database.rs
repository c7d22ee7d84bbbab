use std::{
    env, process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use storage::Postgres;
use testkit::database_role;

/// A migrated database without content, on the server at `TEST_DATABASE_URL`; dropped with this value.
pub(crate) struct Database {
    name: String,
}

impl Database {
    pub(crate) async fn fresh() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);

        let name = format!("cobro_app_{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        execute(database_role::CREATE_ROLE).await;
        execute(&format!("CREATE DATABASE {name} {}", database_role::OWNER_CLAUSE)).await;
        let database = Self { name };
        Postgres::connect(&database.url()).await.unwrap().migrate().await.unwrap();
        database
    }

    /// Creates a database with the current content of the named one. Clients of the named one must reconnect.
    pub(crate) async fn copy_of(original: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);

        let name = format!("{original}_copy_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let ended = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{original}'");
        execute(&ended).await;
        execute(&format!("CREATE DATABASE {name} TEMPLATE {original} {}", database_role::OWNER_CLAUSE)).await;
        Self { name }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the URL for a role with row security.
    pub(crate) fn url(&self) -> String {
        database_role::url(&base(), &self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // `drop` cannot await, but a thread can block.
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        #[expect(clippy::disallowed_methods, reason = "a drop cannot await")]
        let dropping = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(execute(&statement));
        });
        drop(dropping.join());
    }
}

async fn execute(statement: &str) {
    let mut connection = AsyncPgConnection::establish(&base()).await.expect("TEST_DATABASE_URL names a server");
    connection.batch_execute(statement).await.unwrap();
}

fn base() -> String {
    env::var("TEST_DATABASE_URL").expect("PostgreSQL runs only if TEST_DATABASE_URL is set")
}
