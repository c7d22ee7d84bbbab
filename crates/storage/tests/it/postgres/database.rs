use std::{
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use testkit::database_role;
use tokio::sync::OnceCell;

use super::template::template;

/// Database for one test, on the server at `TEST_DATABASE_URL`. Drop deletes the database.
pub(crate) struct Database {
    name: String,
    url: String,
    superusers_url: String,
}

impl Database {
    /// Creates a copy of the template.
    pub(crate) async fn fresh() -> Self {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let template = TEMPLATE.get_or_init(|| async { template(&base()).await }).await;
        Self::create(&format!("TEMPLATE {template}")).await
    }

    /// Creates a database without a schema.
    pub(crate) async fn bare() -> Self {
        Self::create("").await
    }

    async fn create(clause: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);

        let name = format!("cobro_test_{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        create(&name, clause).await;
        Self { url: url_of(&name), superusers_url: superusers_url_of(&name), name }
    }

    /// URL for a role with row security.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// URL for the superuser.
    pub(crate) fn superusers_url(&self) -> &str {
        &self.superusers_url
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A drop cannot await, but another thread can.
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(run(&statement));
        });
        drop(thread.join());
    }
}

async fn create(name: &str, clause: &str) {
    run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    run(database_role::CREATE_ROLE).await;
    // A template must not have connections, and these take a moment to close.
    let create = format!("CREATE DATABASE {name} {} {clause}", database_role::OWNER_CLAUSE);
    for _ in 0..100 {
        match connect().await.batch_execute(&create).await {
            Ok(()) => return,
            Err(error) if error.to_string().contains("accessed by other users") => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(error) => panic!("{create}: {error}"),
        }
    }
    panic!("{create}: the template is never free");
}

async fn run(statement: &str) {
    connect().await.batch_execute(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
}

async fn connect() -> AsyncPgConnection {
    AsyncPgConnection::establish(&base()).await.expect("TEST_DATABASE_URL names a server that answers")
}

fn url_of(name: &str) -> String {
    database_role::url(&base(), name)
}

fn superusers_url_of(name: &str) -> String {
    let base = base();
    let (server, _) = base.rsplit_once('/').expect("TEST_DATABASE_URL ends in the name of a database");
    format!("{server}/{name}")
}

fn base() -> String {
    std::env::var("TEST_DATABASE_URL")
        .expect("TEST_DATABASE_URL must name a database of a PostgreSQL server, as `cargo xtask postgres` prints it")
}
