//! One thread, a clock that jumps, and a process that can end at any await.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use parking_lot::Mutex;

use crate::chance::Chance;

/// A process of the simulated deployment, or the outside world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process(pub(crate) u8);

impl Process {
    /// The outside world, which never crashes.
    pub(crate) const OUTSIDE: Self = Self(0);
}

/// A task that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId(u64);

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs tasks one step at a time, in random order.
#[derive(Clone, Default)]
pub(crate) struct Executor {
    inner: Arc<Mutex<Inner>>,
    woken: Arc<Mutex<BTreeSet<TaskId>>>,
}

#[derive(Default)]
struct Inner {
    now: u64,
    next: u64,
    tasks: BTreeMap<TaskId, Task>,
    timers: BTreeMap<(u64, u64), Waker>,
    ending: BTreeSet<Process>,
    trace: u64,
}

struct Task {
    process: Process,
    /// `None` while the task is polled.
    future: Option<Boxed>,
}

struct Alarm {
    task: TaskId,
    woken: Arc<Mutex<BTreeSet<TaskId>>>,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.woken.lock().insert(self.task);
    }
}

impl Executor {
    /// Milliseconds since the beginning.
    pub(crate) fn now(&self) -> u64 {
        self.inner.lock().now
    }

    /// Digest of all scheduled steps: two runs with equal digests are equal.
    pub(crate) fn trace(&self) -> u64 {
        self.inner.lock().trace
    }

    /// Adds a value to the [trace](Self::trace).
    pub(crate) fn mark(&self, what: u64) {
        let mut inner = self.inner.lock();
        inner.trace = (inner.trace ^ what).wrapping_mul(0x100_0000_01B3).rotate_left(29);
    }

    /// Starts a task of `process`.
    pub(crate) fn spawn(&self, process: Process, future: impl Future<Output = ()> + Send + 'static) -> TaskId {
        let mut inner = self.inner.lock();
        let task = TaskId(inner.fresh());
        inner.tasks.insert(task, Task { process, future: Some(Box::pin(future)) });
        self.woken.lock().insert(task);
        task
    }

    /// Drops a task at the current await.
    pub(crate) fn abort(&self, task: TaskId) {
        let dropped = self.inner.lock().tasks.remove(&task);
        drop(dropped);
    }

    /// Ends a process when the running task reaches an await: all tasks of the process are dropped.
    pub(crate) fn end(&self, process: Process) {
        self.inner.lock().ending.insert(process);
    }

    /// Waits for that many milliseconds.
    pub(crate) fn pause(&self, millis: u64) -> Pause {
        Pause { executor: self.clone(), at: self.now().saturating_add(millis), timer: None }
    }

    /// Runs the next step, unless no task is ready before `until`. Returns the processes that this step ended.
    pub(crate) fn step(&self, chance: &Mutex<Chance>, until: u64) -> Option<BTreeSet<Process>> {
        let Some(task) = self.pick(chance) else { return self.let_time_pass(until).then(BTreeSet::new) };
        let Some(mut future) = self.inner.lock().take(task) else { return Some(BTreeSet::new()) };
        self.mark(task.0);
        let waker = Waker::from(Arc::new(Alarm { task, woken: self.woken.clone() }));
        let poll = future.as_mut().poll(&mut Context::from_waker(&waker));
        let (done, ended) = {
            let mut inner = self.inner.lock();
            let done = match (poll, inner.tasks.get_mut(&task)) {
                (Poll::Pending, Some(place)) => {
                    place.future = Some(future);
                    None
                }
                // The task is complete, or aborted itself.
                _ => inner.tasks.remove(&task),
            };
            (done, mem::take(&mut inner.ending))
        };
        drop(done);
        for process in &ended {
            self.drop_all(*process);
        }
        Some(ended)
    }

    /// Drops every task.
    pub(crate) fn clear(&self) {
        let tasks = mem::take(&mut self.inner.lock().tasks);
        drop(tasks);
        let timers = mem::take(&mut self.inner.lock().timers);
        drop(timers);
    }

    fn pick(&self, chance: &Mutex<Chance>) -> Option<TaskId> {
        let mut woken = self.woken.lock();
        let place = chance.lock().below(u32::try_from(woken.len()).unwrap_or(u32::MAX));
        let task = woken.iter().nth(place as usize).copied()?;
        woken.remove(&task);
        Some(task)
    }

    /// Jumps to the next alarm that rings until then.
    fn let_time_pass(&self, until: u64) -> bool {
        let waker = {
            let mut inner = self.inner.lock();
            let Some((&(at, order), _)) = inner.timers.first_key_value() else { return false };
            if at > until {
                return false;
            }
            inner.now = inner.now.max(at);
            inner.timers.remove(&(at, order))
        };
        waker.into_iter().for_each(Waker::wake);
        true
    }

    fn drop_all(&self, process: Process) {
        let mut dropped = Vec::new();
        {
            let mut inner = self.inner.lock();
            let of_process = |(id, task): (&TaskId, &Task)| (task.process == process).then_some(*id);
            let ids: Vec<TaskId> = inner.tasks.iter().filter_map(of_process).collect();
            dropped.extend(ids.iter().filter_map(|id| inner.tasks.remove(id)));
        }
        self.mark(u64::MAX - u64::from(process.0));
        // Dropping a future may call back into the executor.
        drop(dropped);
    }
}

impl Inner {
    const fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn take(&mut self, task: TaskId) -> Option<Boxed> {
        self.tasks.get_mut(&task)?.future.take()
    }
}

/// Waits for a moment of the simulated clock.
pub(crate) struct Pause {
    executor: Executor,
    at: u64,
    timer: Option<(u64, u64)>,
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let at = self.at;
        let mut inner = self.executor.inner.lock();
        if inner.now >= at {
            return Poll::Ready(());
        }
        let order = inner.fresh();
        let before = self.timer;
        inner.timers.extend([((at, order), context.waker().clone())]);
        if let Some(before) = before {
            inner.timers.remove(&before);
        }
        drop(inner);
        self.timer = Some((at, order));
        Poll::Pending
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            self.executor.inner.lock().timers.remove(&timer);
        }
    }
}
