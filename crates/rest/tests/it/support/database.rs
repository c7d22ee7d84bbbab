use std::{
    env, process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use actix_web::rt::time::sleep;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use testkit::database_role;
use tokio::sync::OnceCell;

use super::template::template;

/// Database of one test on the server at `TEST_DATABASE_URL`, dropped with this value.
pub(crate) struct Database {
    name: String,
}

impl Database {
    /// Creates a copy of a migrated database without rows.
    pub(crate) async fn fresh() -> Self {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        static NEXT: AtomicU32 = AtomicU32::new(0);

        let template = TEMPLATE.get_or_init(|| async { template(&base()).await }).await;
        let name = format!("cobro_rest_{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // A template is copied only without connections, and those that close take a moment.
        for _ in 0..100 {
            match execute(&format!("CREATE DATABASE {name} {} TEMPLATE {template}", database_role::OWNER_CLAUSE)).await
            {
                Ok(()) => return Self { name },
                Err(error) if error.to_string().contains("accessed by other users") => {
                    sleep(std::time::Duration::from_millis(50)).await;
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
        panic!("{template} is never free")
    }

    /// URL for a role with row security.
    pub(crate) fn url(&self) -> String {
        url_of(&self.name)
    }

    /// Locks `table` until the returned connection is dropped.
    pub(crate) async fn stand_still(&self, table: &str) -> AsyncPgConnection {
        let mut connection = AsyncPgConnection::establish(&self.superusers_url()).await.unwrap();
        let lock = format!("BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE");
        connection.batch_execute(&lock).await.unwrap();
        connection
    }

    /// URL for a superuser.
    pub(crate) fn superusers_url(&self) -> String {
        let base = base();
        let (server, _) = base.rsplit_once('/').expect("TEST_DATABASE_URL ends in the name of a database");
        format!("{server}/{}", self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // `drop` is not async, so a thread waits for the response.
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let dropping = thread::spawn(move || actix_web::rt::System::new().block_on(execute(&statement)));
        drop(dropping.join());
    }
}

async fn execute(statement: &str) -> Result<(), diesel::result::Error> {
    let mut connection = AsyncPgConnection::establish(&base()).await.expect("TEST_DATABASE_URL names a server");
    connection.batch_execute(statement).await
}

fn url_of(name: &str) -> String {
    database_role::url(&base(), name)
}

fn base() -> String {
    env::var("TEST_DATABASE_URL").expect("PostgreSQL runs only if TEST_DATABASE_URL is set")
}
