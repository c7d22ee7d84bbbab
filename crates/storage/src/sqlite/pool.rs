use std::{
    any::Any,
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

/// Timeout for a free connection.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Connections to one file, each used by one blocking thread.
///
/// Jobs run in the order of their calls. A thread starts the next job before the caller of the last one has read the
/// result, so a busy caller leaves no connection idle. If a caller drops the future, a started job still runs to the
/// end: no transaction stays open.
#[derive(Clone)]
pub(super) struct Pool {
    path: Arc<str>,
    setup: &'static str,
    size: usize,
    queue: Arc<Mutex<ConnectionQueue>>,
}

/// Jobs without a connection, and connections without a job.
#[derive(Default)]
struct ConnectionQueue {
    jobs: VecDeque<Job>,
    /// Running threads, each with a connection.
    threads: usize,
    idle: Vec<SqliteConnection>,
}

/// Runs a statement, or handles the error of a failed connection. Returns the call that sends the result.
type Job = Box<dyn FnOnce(Result<&mut SqliteConnection, Unavailable>) -> SendResult + Send>;
type SendResult = Box<dyn FnOnce() + Send>;
type Work = Box<dyn FnOnce(&mut SqliteConnection) -> AnyResult + Send>;
type AnyResult = Box<dyn Any + Send>;

impl Pool {
    /// Opens at most `size` connections to the file at `path`, each after the statements in `setup`.
    pub(super) fn new(path: &Path, size: usize, setup: &'static str) -> Result<Self, Unavailable> {
        let path = path.to_str().ok_or_else(|| unavailable("the path is not UTF-8"))?;
        Ok(Self { path: path.into(), setup, size, queue: Arc::default() })
    }

    /// Runs `work` with a connection on a blocking thread.
    pub(super) async fn run<T, E>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Unavailable> + Send + 'static,
    {
        let result = self.run_any(Box::new(|connection| Box::new(work(connection)))).await?;
        *result.downcast().expect("the result of `work`")
    }

    /// Runs `work`, whose type is erased, so that the pool is compiled once.
    async fn run_any(&self, work: Work) -> Result<AnyResult, Unavailable> {
        let (start, started) = oneshot::channel();
        let (sender, result) = oneshot::channel();
        self.enqueue(Box::new(move |connection| {
            // The job of a dropped caller does not start.
            let done = start.send(()).is_ok().then(|| connection.map(work));
            Box::new(move || drop(done.map(|result| sender.send(result))))
        }));
        until_started(started).await?;
        result.await.map_err(unavailable)?
    }

    fn enqueue(&self, job: Job) {
        let mut queue = self.lock();
        queue.jobs.push_back(job);
        if queue.threads < self.size {
            queue.threads += 1;
            let pool = self.clone();
            tokio::task::spawn_blocking(move || pool.run_jobs());
        }
    }

    /// Runs queued jobs until the queue is empty.
    fn run_jobs(self) {
        let mut connection = None;
        let mut last_result: Option<SendResult> = None;
        loop {
            let mut queue = self.lock();
            let Some(job) = queue.jobs.pop_front() else {
                queue.threads -= 1;
                queue.idle.extend(connection);
                drop(queue);
                // The pool goes first: a caller that drops the store after the last result finds the file closed.
                drop(self);
                last_result.into_iter().for_each(|send| send());
                return;
            };
            connection = connection.or_else(|| queue.idle.pop());
            drop(queue);
            last_result.take().into_iter().for_each(|send| send());
            let done = catch_unwind(AssertUnwindSafe(|| match &mut connection {
                Some(ready) => job(Ok(ready)),
                none => match self.open() {
                    Ok(ready) => job(Ok(none.insert(ready))),
                    Err(error) => job(Err(error)),
                },
            }));
            // The state of a connection is unknown after a panic.
            if done.is_err() {
                connection = None;
            }
            last_result = done.ok();
        }
    }

    fn open(&self) -> Result<SqliteConnection, Unavailable> {
        let mut connection = SqliteConnection::establish(&self.path).map_err(unavailable)?;
        connection.batch_execute(self.setup).map_err(unavailable)?;
        Ok(connection)
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn until_started(mut started: oneshot::Receiver<()>) -> Result<(), Unavailable> {
    if tokio::time::timeout(TIMEOUT, &mut started).await.is_err() {
        started.close();
        started.try_recv().map_err(|_| unavailable("no connection became free in time"))?;
    }
    Ok(())
}
