use std::{path::Path, sync::Arc, time::Duration};

use app::{ClockGuard, operators::check_key};
use ports::{
    ArtifactStore, Backlog, Clock, CredentialStore, CredentialVault, EmailStore, EventStore, IdempotencyStore,
    InterchangeStore, MerchantRegistry, MerchantStore, NumberLedger, NumberStore, ReferenceClock, RefundStore,
    SaleSearch, SaleStore, SecretStore, SetupStore, StoredCards, TaxpayerRegister, WebhookLog, WebhookQueue, WorkQueue,
};
use rest::Metrics;
use storage::{Postgres, Sqlite, UnusableDatabase};
use tokio::time::{Instant, sleep};

use crate::{
    clock::SystemClock,
    failure::{Context, Done, Failure},
    stop::Stop,
};

/// Timeout of the wait for an unreachable database at start.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(120);
/// First and maximum pause between two attempts to connect (exponential backoff).
const BACKOFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(5));

/// Pause between two looks for tables without statistics, in the first minutes of a process and later.
const STATISTICS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
const NEW: Duration = Duration::from_secs(300);

/// Database with every store port.
pub(crate) trait Database:
    SaleStore
    + SaleSearch
    + RefundStore
    + EventStore
    + InterchangeStore
    + WorkQueue
    + Backlog
    + WebhookQueue
    + WebhookLog
    + IdempotencyStore
    + StoredCards
    + CredentialStore
    + MerchantStore
    + MerchantRegistry
    + SetupStore
    + SecretStore
    + NumberStore
    + NumberLedger
    + ArtifactStore
    + EmailStore
    + ReferenceClock
{
}

impl Database for Postgres {}
impl Database for Sqlite {}

/// Stores of a process.
#[derive(Clone)]
pub(crate) struct Stores {
    pub(crate) database: Arc<dyn Database>,
    pub(crate) artifacts: Arc<dyn ArtifactStore>,
    /// Connection pool of PostgreSQL, which has a clock of its own; `None` for SQLite.
    pub(crate) pool: Option<Postgres>,
    /// Register of taxpayers; only a deployment has one.
    pub(crate) register: Option<Arc<dyn TaxpayerRegister>>,
}

/// Waits until the database at `url` can be used. Does not wait if the error cannot pass.
///
/// # Errors
///
/// If the database cannot be used before the timeout, or the process must stop.
pub(crate) async fn wait_for_database(url: &str, stop: &Stop) -> Done {
    tokio::select! {
        () = stop.requested() => Err(Failure::new("stopped while waiting for the database")),
        waited = until_usable(url) => waited,
    }
}

async fn until_usable(url: &str) -> Done {
    let deadline = Instant::now() + CONNECT_TIMEOUT;
    let (mut pause, longest) = BACKOFF;
    loop {
        let error = match Postgres::connect(url).await {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if error.source.is::<UnusableDatabase>() || Instant::now() + pause > deadline {
            return Err(error).or_fail("the database cannot be used");
        }
        tracing::warn!(error = &error as &dyn std::error::Error, ?pause, "the database is unavailable: retrying");
        sleep(pause).await;
        pause = longest.min(pause * 2);
    }
}

impl Stores {
    /// Connects to PostgreSQL. The schema must be that of this version.
    pub(crate) async fn postgres(url: &str) -> Done<Self> {
        let store = Postgres::connect(url).await.or_fail("the database cannot be used")?;
        if !store.is_current().await.or_fail("the schema of the database cannot be used")? {
            return Err(Failure::new(
                "the schema of the database is older than this program: run `cobro migrate` first",
            ));
        }
        if !store.has_row_security().await.or_fail("the role of the database cannot be read")? {
            tracing::warn!("the database role is above row security, which keeps merchants apart: use a plain role");
        }
        Ok(Self::deployed(store))
    }

    /// The same, unless the vault has another key than the one that they were set up with.
    pub(crate) async fn under(self, vault: &dyn CredentialVault) -> Done<Self> {
        check_key(&*self.database, vault).await.or_fail("the master key cannot be used")?;
        Ok(self)
    }

    /// Connects to PostgreSQL and updates the schema.
    pub(crate) async fn migrated_postgres(url: &str) -> Done<Self> {
        let store = Postgres::connect(url).await.or_fail("the database cannot be used")?;
        store.migrate().await.or_fail("the schema cannot be brought up to date")?;
        Ok(Self::deployed(store))
    }

    /// SQLite, in a file that no other process uses.
    pub(crate) async fn embedded(path: &Path) -> Done<Self> {
        let store = Sqlite::open(path).await.or_fail("the embedded database cannot be opened")?;
        store.migrate().await.or_fail("the schema cannot be brought up to date")?;
        // The holder was an earlier process.
        store.end_leases().await.or_fail("the embedded database cannot be written")?;
        Ok(Self::of(Arc::new(store)))
    }

    pub(crate) fn deployed(store: Postgres) -> Self {
        let database = Arc::new(store.clone());
        Self { register: Some(database.clone()), pool: Some(store), ..Self::of(database) }
    }

    /// Returns the guard of the system clock. The clock of PostgreSQL is compared with the unmodified
    /// system clock. For SQLite the newest stored instant is compared with `clock`.
    pub(crate) fn clock_guard(&self, clock: &Arc<dyn Clock>) -> ClockGuard {
        let ours = if self.pool.is_some() { Arc::new(SystemClock) } else { clock.clone() };
        ClockGuard::new(ours, self.database.clone())
    }

    /// Returns the stores for a command that writes. Fails if the system clock is wrong.
    pub(crate) async fn with_right_clock(self) -> Done<Self> {
        let guard = self.clock_guard(&(Arc::new(SystemClock) as Arc<dyn Clock>));
        guard.compare().await.or_fail("the clocks cannot be compared")?;
        guard.check().or_fail("nothing is changed")?;
        Ok(self)
    }

    /// Shows the use of the connections in `metrics`.
    pub(crate) fn watch_pool(&self, metrics: &Metrics) {
        let Some(pool) = self.pool.clone() else { return };
        metrics.watch_pool(move || {
            let storage::PoolUse { in_use, idle, waiting } = pool.pool_use();
            rest::ConnectionUse { in_use, idle, waiting }
        });
    }

    /// Lets the tables of a new database have statistics soon after their first rows, as long as the process runs.
    pub(crate) fn keep_statistics(&self) {
        let Some(database) = self.pool.clone() else { return };
        tokio::spawn(async move {
            let started = Instant::now();
            loop {
                if let Err(error) = database.analyze_new_tables().await {
                    tracing::debug!(error = &error as &dyn std::error::Error, "tables were not analyzed");
                }
                let is_new = started.elapsed() < NEW;
                sleep(if is_new { STATISTICS.0 } else { STATISTICS.1 }).await;
            }
        });
    }

    fn of(database: Arc<impl Database + 'static>) -> Self {
        Self { artifacts: database.clone(), database, pool: None, register: None }
    }
}
