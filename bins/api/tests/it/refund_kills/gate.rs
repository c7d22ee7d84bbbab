use diesel::{
    QueryableByName,
    sql_types::{Bool, Integer, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use crate::support::{Database, pause};

/// Stops commits that write rows of refunds, credit notes and idempotency keys.
///
/// A transaction waits at its commit, after all of its writes. The test then rolls the transaction back, or lets the
/// commit pass.
pub(super) struct Gate {
    /// Connection with the lock that closes the gate.
    lock: AsyncPgConnection,
    watch: AsyncPgConnection,
}

/// State of the database and the gate.
#[derive(QueryableByName)]
pub(super) struct View {
    /// Rows that the waiting transaction has written, with their status.
    #[diesel(sql_type = Nullable<Text>)]
    pub(super) held: Option<String>,
    /// Whether every refund and credit note waits for its next step.
    #[diesel(sql_type = Bool)]
    pub(super) is_idle: bool,
    /// Whether a call of the acquirer has no response yet.
    #[diesel(sql_type = Bool)]
    pub(super) is_calling: bool,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = Integer)]
    count: i32,
}

/// Step of time in milliseconds: longer than the pause between two look-ups.
const STEP: u32 = 61 * 60 * 1000;
/// Columns of [`View`]. Calls of killed processes are old, because time passes after each kill.
const VIEW: &str = "WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) \
     SELECT (SELECT application_name FROM pg_stat_activity WHERE pid = (SELECT pid FROM pg_locks \
         WHERE locktype = 'advisory' AND classid = 0 AND objid = 1 AND NOT granted \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1)) AS held, \
     NOT EXISTS (SELECT FROM refunds, clock WHERE due_at <= now OR lease_until > now) \
         AND NOT EXISTS (SELECT FROM fiscal_documents, clock WHERE due_at <= now OR lease_until > now) AS is_idle, \
     EXISTS (SELECT FROM attempts, clock WHERE refund IS NOT NULL AND state = 'open' AND started_at > now - 600000) \
         AS is_calling";
/// Ends the connections of the processes. Statements that wait are rolled back.
const END_CONNECTIONS: &str = "SELECT count(pg_terminate_backend(pid))::integer AS count FROM pg_stat_activity \
     WHERE datname = current_database() AND usename <> current_user";

impl Gate {
    /// Installs an open gate.
    pub(super) async fn install(database: &Database) -> Self {
        database.execute(include_str!("gate.sql")).await;
        Self { lock: database.connection().await, watch: database.connection().await }
    }

    /// From now on commits wait.
    pub(super) async fn close(&mut self) {
        self.lock.batch_execute("SELECT pg_advisory_lock(1)").await.unwrap();
    }

    /// From now on commits do not wait.
    pub(super) async fn open(&mut self) {
        self.lock.batch_execute("SELECT pg_advisory_unlock(1)").await.unwrap();
    }

    /// Returns the state at this moment.
    pub(super) async fn view(&mut self) -> View {
        diesel::sql_query(VIEW).get_result(&mut self.watch).await.unwrap()
    }

    /// Lets one commit pass. After the return other transactions see the commit.
    pub(super) async fn pass(&mut self) {
        // The transaction releases the lock after its commit, and only then is the lock free again.
        self.lock.batch_execute("SELECT pg_advisory_unlock(1); SELECT pg_advisory_lock(1)").await.unwrap();
    }

    /// Rolls back the open transactions of killed processes.
    pub(super) async fn roll_back(&mut self) {
        while diesel::sql_query(END_CONNECTIONS).get_result::<Count>(&mut self.watch).await.unwrap().count > 0 {
            pause().await;
        }
    }

    /// Lets time pass for refunds, credit notes, and requests without a response.
    pub(super) async fn pass_time(&mut self) {
        self.watch.batch_execute(&format!("SELECT gate_pass_time({STEP})")).await.unwrap();
    }
}
