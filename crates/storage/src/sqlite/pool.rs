use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use diesel::{SqliteConnection, connection::SimpleConnection, prelude::*};
use ports::Unavailable;
use tokio::sync::Semaphore;

use crate::failure::unavailable;

/// A caller who waits longer for a connection is better told so.
const PATIENCE: Duration = Duration::from_secs(2);

/// A few connections, and threads to wait on them.
///
/// Whoever gives up waiting for an answer leaves the work to its thread, which ends it and puts
/// the connection back. So no transaction is ever left open.
#[derive(Clone)]
pub(super) struct Pool {
    path: Arc<str>,
    setup: &'static str,
    idle: Arc<Mutex<Vec<SqliteConnection>>>,
    places: Arc<Semaphore>,
}

impl Pool {
    /// At most `size` connections to the file at `path`, each made ready with `setup`.
    pub(super) fn new(path: &Path, size: usize, setup: &'static str) -> Result<Self, Unavailable> {
        let path = path.to_str().ok_or_else(|| unavailable("the path is not text"))?;
        Ok(Self { path: path.into(), setup, idle: Arc::default(), places: Arc::new(Semaphore::new(size)) })
    }

    /// Runs `work` on a connection, on a thread that may block.
    pub(super) async fn run<T, E>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Unavailable> + Send + 'static,
    {
        let place = tokio::time::timeout(PATIENCE, self.places.clone().acquire_owned()).await;
        let place = place.map_err(|_| unavailable("no connection became free in time"))?.map_err(unavailable)?;
        let pool = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let mut connection = pool.connection()?;
            let done = work(&mut connection);
            pool.idle().push(connection);
            drop(place);
            done
        });
        done.await.map_err(unavailable)?
    }

    fn connection(&self) -> Result<SqliteConnection, Unavailable> {
        let idle = self.idle().pop();
        idle.map_or_else(|| self.open(), Ok)
    }

    fn open(&self) -> Result<SqliteConnection, Unavailable> {
        let mut connection = SqliteConnection::establish(&self.path).map_err(unavailable)?;
        connection.batch_execute(self.setup).map_err(unavailable)?;
        Ok(connection)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
