//! Connection pools, one for each runtime of the process.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use diesel::ConnectionError;
use diesel_async::{
    AsyncPgConnection,
    pooled_connection::{
        AsyncDieselConnectionManager, ManagerConfig, PoolError as NotConnected, RecyclingMethod,
        deadpool::{BuildError, Object, Pool, PoolError},
    },
};
use ports::Unavailable;
use tokio::runtime::{Handle, Id};

use super::{group_commit::GroupCommit, session::establish};
use crate::{
    PoolUse,
    failure::{Failure, unavailable, unusable},
};

/// Maximum number of connections of one runtime. These keep the disk busy; more would only wait for each other.
const CONNECTIONS: usize = 8;
/// Maximum number of pools. A process has few runtimes, and they last as long as the process.
const RUNTIMES: usize = 16;
/// Timeout for a free connection.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Connection pools by runtime.
///
/// The responses to a connection are read by a task of the runtime that opened the connection: a response to another
/// runtime would wake two threads instead of one.
#[derive(Clone)]
pub(super) struct Pools {
    url: Arc<str>,
    opened: Arc<Mutex<Vec<RuntimePool>>>,
}

/// Connections and queued commits of one runtime.
#[derive(Clone)]
struct RuntimePool {
    runtime: Id,
    connections: Pool<AsyncPgConnection>,
    commits: GroupCommit,
}

impl Pools {
    /// Returns pools for the database at `url`, without connections.
    pub(super) fn new(url: &str) -> Self {
        Self { url: url.into(), opened: Arc::default() }
    }

    /// Returns a connection of the current runtime for exclusive use.
    pub(super) async fn connection(&self) -> Result<Object<AsyncPgConnection>, Unavailable> {
        let pool = self.current_pool().map_err(unavailable)?;
        let connection = tokio::time::timeout(TIMEOUT, pool.connections.get()).await;
        connection.map_err(|_| unavailable("no connection became free in time"))?.map_err(not_connected)
    }

    /// Returns the current use of the connections of all runtimes.
    pub(super) fn in_use(&self) -> PoolUse {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().map(|pool| pool.connections.status()).fold(PoolUse::default(), |sum, pool| PoolUse {
            in_use: sum.in_use + pool.size.saturating_sub(pool.available),
            idle: sum.idle + pool.available,
            waiting: sum.waiting + pool.waiting,
        })
    }

    /// Returns the queued commits of the current runtime.
    pub(super) fn commits(&self) -> Result<GroupCommit, BuildError> {
        Ok(self.current_pool()?.commits)
    }

    fn current_pool(&self) -> Result<RuntimePool, BuildError> {
        let runtime = Handle::current().id();
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = opened.iter().find(|pool| pool.runtime == runtime) {
            return Ok(pool.clone());
        }
        let pool = RuntimePool { runtime, connections: pool(&self.url)?, commits: GroupCommit::default() };
        if opened.len() == RUNTIMES {
            // The oldest runtime of so many has ended.
            opened.remove(0);
        }
        opened.push(pool.clone());
        Ok(pool)
    }
}

/// Maps the error of a failed connection. Read-only servers and permanent errors have their own kinds.
fn not_connected(error: PoolError) -> Unavailable {
    match error {
        PoolError::Backend(NotConnected::ConnectionError(ConnectionError::CouldntSetupConfiguration(refused))) => {
            Failure::from(refused).into()
        }
        PoolError::Backend(NotConnected::ConnectionError(ConnectionError::InvalidConnectionUrl(why))) => unusable(why),
        error => unavailable(error),
    }
}

fn pool(url: &str) -> Result<Pool<AsyncPgConnection>, BuildError> {
    let mut config = ManagerConfig::default();
    config.custom_setup = Box::new(|url| Box::pin(establish(url)));
    // The other methods send a query before each use; a broken connection is noticed anyway.
    config.recycling_method = RecyclingMethod::Fast;
    Pool::builder(AsyncDieselConnectionManager::new_with_config(url, config)).max_size(CONNECTIONS).build()
}
