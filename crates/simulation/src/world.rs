//! State that outlives a process, and the rates of faults.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::{Future, pending},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use ports::Unavailable;
use testkit::sample;

use crate::{
    bank::Bank,
    bug::Bug,
    chance::Chance,
    executor::{Executor, Process, TaskId},
    ledger::Ledger,
    reply::Reply,
    tables::Tables,
};

/// The processes of the deployment.
pub(crate) const PROCESSES: [Process; 3] = [Process(1), Process(2), Process(3)];

/// One world of so many has refunds and documents.
const REFUNDS: u32 = 3;
/// Such a world begins shortly before the sweep of half past three in the morning, or before midnight.
const STARTS: [TimeDelta; 2] = [TimeDelta::minutes(19 * 60 + 26), TimeDelta::minutes(15 * 60 + 53)];

/// Rate of each fault: once in this many times; 0 for never.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// A process ends at a call to the outside.
    pub(crate) crash: u32,
    /// A client's command is dropped at an await.
    pub(crate) abort: u32,
    /// A process stalls for longer than a lease.
    pub(crate) stall: u32,
    /// A process stalls for longer than any timeout, right after a response of the database.
    pub(crate) freeze: u32,
    /// The database does not respond, and has not committed.
    pub(crate) refuse: u32,
    /// The database does not respond, and has committed.
    pub(crate) lose: u32,
    /// The provider cannot be reached.
    pub(crate) down: u32,
    /// The provider's response is lost, with or without an effect.
    pub(crate) silent: u32,
    /// A card arrives, or becomes visible, after its payment has moved on.
    pub(crate) late: u32,
    /// The issuer refuses.
    pub(crate) decline: u32,
    /// A look-up cannot be made.
    pub(crate) blind: u32,
    /// The issuer wants to see the payer first.
    pub(crate) ask: u32,
}

impl Faults {
    /// Draws the rates of a world. Some faults never occur in a world, so that they do not hide rare ones.
    pub(crate) fn drawn(chance: &mut Chance) -> Self {
        let mut rate = |common: u32| {
            let slower = chance.below(4);
            if slower == 0 { 0 } else { common * slower * slower }
        };
        Self {
            crash: rate(8),
            abort: rate(8),
            stall: rate(20),
            freeze: rate(150),
            refuse: rate(15),
            lose: rate(15),
            down: rate(4),
            silent: rate(2),
            late: rate(6),
            decline: rate(3),
            blind: rate(3),
            ask: rate(2),
        }
    }
}

/// The simulated world.
pub(crate) struct World {
    pub(crate) executor: Executor,
    pub(crate) chance: Mutex<Chance>,
    pub(crate) faults: Mutex<Faults>,
    pub(crate) tables: Mutex<Tables>,
    pub(crate) bank: Mutex<Bank>,
    pub(crate) authority: Mutex<Ledger>,
    /// The time of the first step.
    pub(crate) start: DateTime<Utc>,
    pub(crate) bug: Option<Bug>,
    /// Violated invariants.
    pub(crate) findings: Mutex<Vec<String>>,
    /// Bodies of the first responses to clients, by key.
    pub(crate) responses: Mutex<BTreeMap<String, Vec<u8>>>,
    /// The steps so far, for the report of a failure.
    pub(crate) story: Mutex<Vec<String>>,
    up: Mutex<BTreeSet<Process>>,
    names: Mutex<u32>,
}

impl World {
    pub(crate) fn new(mut chance: Chance, bug: Option<Bug>) -> Arc<Self> {
        let faults = Faults::drawn(&mut chance);
        let has_refunds = chance.below(REFUNDS) == REFUNDS - 1 || bug.is_some_and(Bug::is_about_refunds);
        let start = if has_refunds { chance.one_of(&STARTS) } else { TimeDelta::zero() };
        let start = sample::noon() + start;
        Arc::new(Self {
            executor: Executor::default(),
            chance: Mutex::new(chance),
            faults: Mutex::new(faults),
            tables: Mutex::new(Tables::new(has_refunds)),
            bank: Mutex::default(),
            authority: Mutex::default(),
            start,
            bug,
            findings: Mutex::default(),
            responses: Mutex::default(),
            story: Mutex::default(),
            up: Mutex::new(PROCESSES.into()),
            names: Mutex::default(),
        })
    }

    /// The time that every clock shows.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.moment(self.executor.now())
    }

    pub(crate) fn below(&self, bound: u32) -> u32 {
        self.chance.lock().below(bound)
    }

    /// Returns whether the fault of that rate occurs now.
    pub(crate) fn has_fault(&self, rate: impl Fn(&Faults) -> u32) -> bool {
        let rate = rate(&self.faults.lock());
        self.chance.lock().one_in(rate)
    }

    /// Ends all faults.
    pub(crate) fn end_faults(&self) {
        *self.faults.lock() = Faults::default();
    }

    /// Starts faults again, with other rates.
    pub(crate) fn restart_faults(&self) {
        let faults = Faults::drawn(&mut self.chance.lock());
        *self.faults.lock() = faults;
    }

    pub(crate) fn report(&self, process: Process, what: impl FnOnce() -> String) {
        let line = format!("{:>9} p{} {}", self.executor.now(), process.0, what());
        self.story.lock().push(line);
    }

    pub(crate) fn find(&self, finding: Option<String>) {
        self.findings.lock().extend(finding);
    }

    /// Returns a new number.
    pub(crate) fn fresh(&self) -> u32 {
        let mut names = self.names.lock();
        *names += 1;
        *names
    }

    pub(crate) fn is_up(&self, process: Process) -> bool {
        self.up.lock().contains(&process)
    }

    pub(crate) fn set_up(&self, process: Process, is_up: bool) {
        let mut up = self.up.lock();
        if is_up {
            up.insert(process)
        } else {
            up.remove(&process)
        };
    }

    /// A call from the process to the outside. The call takes time, and may be the last one of the process.
    pub(crate) async fn leave(&self, process: Process, what: &str) {
        self.executor.mark(what.len() as u64);
        if process != Process::OUTSIDE && self.has_fault(|it| it.crash) {
            self.report(process, || format!("ends at {what}"));
            self.executor.end(process);
            pending::<()>().await;
        }
        let millis = if self.has_fault(|it| it.stall) { 10_000 + self.below(80_000) } else { self.below(40) };
        if millis > 0 {
            self.executor.pause(millis.into()).await;
        }
    }

    /// Asks the database in one transaction.
    pub(crate) async fn ask<T>(
        &self,
        process: Process,
        what: &str,
        transaction: impl FnOnce(&mut Tables) -> T,
    ) -> Result<T, Unavailable> {
        self.leave(process, what).await;
        if self.has_fault(|it| it.refuse) {
            return Err(unavailable());
        }
        let answer = transaction(&mut self.tables.lock());
        self.leave(process, what).await;
        if self.has_fault(|it| it.lose) {
            self.report(process, || format!("never hears that {what} was done"));
            return Err(unavailable());
        }
        if self.has_fault(|it| it.freeze) {
            self.report(process, || format!("freezes after {what}"));
            self.executor.pause(u64::from(self.below(1_200_000)) + 660_000).await;
        }
        Ok(answer)
    }

    /// Runs a command of a client in `process`. The client may stop before the end.
    pub(crate) fn serve<T: Send + 'static>(
        &self,
        process: Process,
        work: impl Future<Output = T> + Send + 'static,
    ) -> (TaskId, Reply<T>) {
        let reply = Reply::new();
        let answer = reply.clone();
        let task = self.executor.spawn(process, async move { answer.write(work.await) });
        (task, reply)
    }
}

pub(crate) fn unavailable() -> Unavailable {
    Unavailable { what: "the simulated database", source: "it did not answer".into() }
}
