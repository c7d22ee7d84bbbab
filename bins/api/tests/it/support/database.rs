use std::{env, process, thread};

use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use testkit::database_role;

/// An empty database on the server at `TEST_DATABASE_URL`; dropped with this value.
pub(crate) struct Database {
    name: String,
    pub(crate) url: String,
}

impl Database {
    /// A database for the test of that name.
    pub(crate) async fn empty(test: &str) -> Self {
        let name = format!("cobro_test_binary_{}_{test}", process::id());
        run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        run(database_role::CREATE_ROLE).await;
        run(&format!("CREATE DATABASE {name} {}", database_role::OWNER_CLAUSE)).await;
        Self { url: database_role::url(&base(), &name), name }
    }
}

impl Database {
    /// Moves the next attempts of delayed documents one hour back.
    pub(crate) async fn make_delayed_documents_due(&self) {
        self.execute(
            "UPDATE fiscal_documents SET due_at = due_at - 3600000, stage = jsonb_set(stage::jsonb, \
             '{0,next_attempt_at}', to_jsonb((stage::jsonb->0->>'next_attempt_at')::bigint - 3600000))::text \
             WHERE status = 'delayed'",
        )
        .await;
    }

    /// Ends the leases of killed workers, and moves the times of their documents one hour back.
    pub(crate) async fn make_leased_documents_due(&self) {
        let earlier = |issuance: &str| {
            ["{next_attempt_at}", "{stage,submitted_at}"].iter().fold(issuance.to_owned(), |document, path| {
                let time = format!("to_jsonb(({issuance}#>>'{path}')::bigint - 3600000)");
                format!("jsonb_set({document}, '{path}', coalesce({time}, 'null'), false)")
            })
        };
        let update = |status: &str, stage: &str| {
            format!(
                "UPDATE fiscal_documents SET due_at = due_at - 3600000, lease_until = NULL, stage = ({stage})::text \
                 WHERE status = '{status}'"
            )
        };
        let delayed = format!("jsonb_build_array({}, stage::jsonb->1)", earlier("(stage::jsonb->0)"));
        self.execute(&update("issuing", &earlier("stage::jsonb"))).await;
        self.execute(&update("delayed", &delayed)).await;
    }

    /// Connects as a superuser.
    pub(crate) async fn connection(&self) -> AsyncPgConnection {
        let base = base();
        let server = base.rsplit_once('/').map_or(base.as_str(), |(server, _)| server);
        let connection = AsyncPgConnection::establish(&format!("{server}/{}", self.name)).await;
        connection.expect("the database accepts connections")
    }

    /// Runs statements as a superuser.
    pub(crate) async fn execute(&self, statement: &str) {
        self.connection().await.batch_execute(statement).await.unwrap();
    }

    /// Every row of a table as a line of text, bytes in hexadecimal.
    pub(crate) async fn rows(&self, table: &str) -> Vec<String> {
        let mut connection = self.connection().await;
        let query = format!("SELECT row_to_json(it)::text FROM {table} it");
        let rows: Vec<String> =
            diesel::dsl::sql::<diesel::sql_types::Text>(&query).load(&mut connection).await.unwrap();
        rows
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A drop cannot await, but another thread can.
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let dropped = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(run(&statement));
        });
        drop(dropped.join());
    }
}

async fn run(statement: &str) {
    let connection = AsyncPgConnection::establish(&base()).await;
    let mut connection = connection.expect("TEST_DATABASE_URL must name a running server");
    connection.batch_execute(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn base() -> String {
    env::var("TEST_DATABASE_URL")
        .expect("TEST_DATABASE_URL must name a database of a PostgreSQL server, as `cargo xtask postgres` prints it")
}
