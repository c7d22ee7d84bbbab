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

/// Timeout for a free connection.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Connections to one file, each used by one blocking thread.
///
/// Jobs run in the order of their calls. A thread starts its next job before the caller of the last one has read the
/// result, so a caller whose own thread is busy leaves no connection idle. If a caller drops its future, a started job
/// still runs to its end: no transaction stays open.
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
type Work<T, E> = Box<dyn FnOnce(&mut SqliteConnection) -> Result<T, E> + Send>;

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
        self.run_boxed(Box::new(work)).await
    }

    async fn run_boxed<T, E>(&self, work: Work<T, E>) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Unavailable> + Send + 'static,
    {
        let (start, started) = oneshot::channel();
        let (sender, result) = oneshot::channel();
        self.enqueue(Box::new(move |connection| {
            // A job whose caller is gone does not start.
            let done = start.send(()).is_ok().then(|| connection.map_err(E::from).and_then(work));
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
                // The pool goes first: a caller that drops the store after its last result finds the file closed.
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
