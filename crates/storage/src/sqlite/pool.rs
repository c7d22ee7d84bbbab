use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use diesel::{SqliteConnection, connection::SimpleConnection, prelude::*};
use ports::Unavailable;
use tokio::sync::oneshot;

use crate::failure::unavailable;

/// A caller who waits longer for a connection is better told so.
const PATIENCE: Duration = Duration::from_secs(2);

/// A few connections, and threads to wait on them.
///
/// Work is done in the order in which it was asked for, by threads that go on to what is next without waiting for whoever
/// asked: a caller whose own thread is busy keeps no connection idle. Whoever gives up waiting for an answer leaves the work
/// to its thread, which ends it. So no transaction is ever left open.
#[derive(Clone)]
pub(super) struct Pool {
    path: Arc<str>,
    setup: &'static str,
    size: usize,
    line: Arc<Mutex<Line>>,
}

/// What waits for a connection, and the connections that wait for work.
#[derive(Default)]
struct Line {
    jobs: VecDeque<Job>,
    /// Threads that are at it, each with a connection.
    threads: usize,
    idle: Vec<SqliteConnection>,
}

/// What is done with a connection, or instead if there is none.
type Job = Box<dyn FnOnce(Result<&mut SqliteConnection, Unavailable>) -> Answer + Send>;
/// Tells whoever asked what came of it.
type Answer = Box<dyn FnOnce() + Send>;

impl Pool {
    /// At most `size` connections to the file at `path`, each made ready with `setup`.
    pub(super) fn new(path: &Path, size: usize, setup: &'static str) -> Result<Self, Unavailable> {
        let path = path.to_str().ok_or_else(|| unavailable("the path is not text"))?;
        Ok(Self { path: path.into(), setup, size, line: Arc::default() })
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
        let (begin, mut begun) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        self.line_up(Box::new(move |connection| {
            // Whoever gave up waiting wants nothing done any more.
            let done = begin.send(()).is_ok().then(|| connection.map_err(E::from).and_then(work));
            Box::new(move || drop(done.map(|it| answer.send(it))))
        }));
        if tokio::time::timeout(PATIENCE, &mut begun).await.is_err() {
            begun.close();
            begun.try_recv().map_err(|_| unavailable("no connection became free in time"))?;
        }
        answered.await.map_err(unavailable)?
    }

    fn line_up(&self, job: Job) {
        let mut line = self.line();
        line.jobs.push_back(job);
        if line.threads < self.size {
            line.threads += 1;
            let pool = self.clone();
            tokio::task::spawn_blocking(move || pool.work_off());
        }
    }

    /// Does one thing after the other, until there is nothing more to do.
    fn work_off(self) {
        let mut connection = None;
        let mut answer: Option<Answer> = None;
        loop {
            let mut line = self.line();
            let Some(job) = line.jobs.pop_front() else {
                line.threads -= 1;
                line.idle.extend(connection);
                drop(line);
                // Whoever hears of the last answer, and lets go of the store, finds its file closed.
                drop(self);
                answer.into_iter().for_each(|tell| tell());
                return;
            };
            connection = connection.or_else(|| line.idle.pop());
            drop(line);
            answer.take().into_iter().for_each(|tell| tell());
            let done = catch_unwind(AssertUnwindSafe(|| match &mut connection {
                Some(ready) => job(Ok(ready)),
                none => match self.open() {
                    Ok(ready) => job(Ok(none.insert(ready))),
                    Err(error) => job(Err(error)),
                },
            }));
            // Nobody knows what a connection is in on which something broke down.
            if done.is_err() {
                connection = None;
            }
            answer = done.ok();
        }
    }

    fn open(&self) -> Result<SqliteConnection, Unavailable> {
        let mut connection = SqliteConnection::establish(&self.path).map_err(unavailable)?;
        connection.batch_execute(self.setup).map_err(unavailable)?;
        Ok(connection)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
