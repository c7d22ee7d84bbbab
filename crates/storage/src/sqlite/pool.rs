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

#[cfg(test)]
mod tests {
    use std::{future::ready, pin::Pin, sync::mpsc};

    use super::*;

    /// Lets it begin to wait.
    async fn waits<F: Future>(mut it: Pin<&mut F>) {
        tokio::select! {
            biased;
            _ = &mut it => panic!("nothing is free"),
            () = ready(()) => {}
        }
    }

    /// One connection, which somebody has until the gate is opened.
    async fn taken(folder: &Path) -> (Pool, mpsc::Sender<()>) {
        let pool = Pool::new(&folder.join("cobro.db"), 1, "").expect("a path");
        let ((open, gate), (begin, begun)) = (mpsc::channel(), oneshot::channel());
        let first = pool.clone();
        tokio::spawn(async move {
            let work = move |_: &mut SqliteConnection| {
                begin.send(()).expect("somebody waits");
                gate.recv().map_err(unavailable)
            };
            first.run(work).await
        });
        begun.await.expect("it begins");
        (pool, open)
    }

    /// As where its thread has something else to do.
    #[tokio::test]
    async fn who_does_not_come_for_its_answer_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().expect("a folder");
        let (pool, open) = taken(folder.path()).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let ask = |n: u32| {
            let order = order.clone();
            pool.run(move |_| {
                order.lock().expect("nobody panics").push(n);
                Ok::<_, Unavailable>(n)
            })
        };
        let (mut second, mut third) = (Box::pin(ask(2)), Box::pin(ask(3)));
        waits(second.as_mut()).await;
        waits(third.as_mut()).await;

        open.send(()).expect("somebody waits");
        let third = third.await;

        assert_eq!((third.ok(), second.await.ok()), (Some(3), Some(2)));
        assert_eq!(*order.lock().expect("nobody panics"), [2, 3]);
    }

    #[tokio::test]
    async fn who_gives_up_before_its_turn_leaves_nothing_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let (pool, open) = taken(folder.path()).await;
        let mut given_up = Box::pin(pool.run(|_| -> Result<(), Unavailable> { panic!("nobody waits for it") }));
        waits(given_up.as_mut()).await;
        drop(given_up);

        open.send(()).expect("somebody waits");

        assert_eq!(pool.run(|_| Ok::<_, Unavailable>(1)).await.ok(), Some(1));
    }

    #[tokio::test]
    async fn what_breaks_down_takes_no_connection_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let pool = Pool::new(&folder.path().join("cobro.db"), 1, "").expect("a path");

        let broken = pool.run(|_| -> Result<(), Unavailable> { std::panic::resume_unwind(Box::new("broken")) }).await;

        assert!(broken.is_err());
        assert_eq!(pool.run(|_| Ok::<_, Unavailable>(1)).await.ok(), Some(1));
    }
}
