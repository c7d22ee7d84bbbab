//! Connections, apart for each runtime of the process.

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

use super::session::establish;
use crate::{
    PoolUse,
    failure::{Failure, UNUSABLE, unavailable},
};

/// Enough for one runtime to keep the disk busy; more only wait for each other.
const CONNECTIONS: usize = 8;
/// Runtimes that are remembered. A process has a few, for as long as it lives.
const RUNTIMES: usize = 16;
/// A caller who waits longer for a connection is better told so.
const PATIENCE: Duration = Duration::from_secs(2);

/// A pool for each runtime that asks.
///
/// What a connection hears is read by a task of the runtime that opened it: an answer to anybody else wakes two threads
/// instead of one.
#[derive(Clone)]
pub(super) struct Pools {
    url: Arc<str>,
    opened: Arc<Mutex<Vec<OfOne>>>,
}

/// A runtime, and its connections.
type OfOne = (Id, Pool<AsyncPgConnection>);

impl Pools {
    /// Pools of connections to the database at `url`; nothing is opened yet.
    pub(super) fn new(url: &str) -> Self {
        Self { url: url.into(), opened: Arc::default() }
    }

    /// A connection that whoever runs here has for itself.
    pub(super) async fn connection(&self) -> Result<Object<AsyncPgConnection>, Unavailable> {
        let pool = self.of_this_runtime().map_err(unavailable)?;
        let connection = tokio::time::timeout(PATIENCE, pool.get()).await;
        connection.map_err(|_| unavailable("no connection became free in time"))?.map_err(not_connected)
    }

    /// Returns the current use of the connections of all runtimes.
    pub(super) fn in_use(&self) -> PoolUse {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().map(|(_, pool)| pool.status()).fold(PoolUse::default(), |sum, it| PoolUse {
            in_use: sum.in_use + it.size.saturating_sub(it.available),
            idle: sum.idle + it.available,
            waiting: sum.waiting + it.waiting,
        })
    }

    fn of_this_runtime(&self) -> Result<Pool<AsyncPgConnection>, BuildError> {
        let here = Handle::current().id();
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pool)) = opened.iter().find(|(id, _)| *id == here) {
            return Ok(pool.clone());
        }
        let pool = pool(&self.url)?;
        if opened.len() == RUNTIMES {
            // Whoever makes so many has ended the first of them.
            opened.remove(0);
        }
        opened.push((here, pool.clone()));
        Ok(pool)
    }
}

/// Maps the error of a failed connection. Read-only servers and permanent errors have their own kinds.
fn not_connected(error: PoolError) -> Unavailable {
    match error {
        PoolError::Backend(NotConnected::ConnectionError(ConnectionError::CouldntSetupConfiguration(refused))) => {
            Failure::from(refused).into()
        }
        PoolError::Backend(NotConnected::ConnectionError(ConnectionError::InvalidConnectionUrl(why))) => {
            Unavailable { what: UNUSABLE, source: why.into() }
        }
        error => unavailable(error),
    }
}

fn pool(url: &str) -> Result<Pool<AsyncPgConnection>, BuildError> {
    let mut config = ManagerConfig::default();
    config.custom_setup = Box::new(|url| Box::pin(establish(url)));
    // The other methods ask the database whether it is there each time; we notice anyway.
    config.recycling_method = RecyclingMethod::Fast;
    Pool::builder(AsyncDieselConnectionManager::new_with_config(url, config)).max_size(CONNECTIONS).build()
}
