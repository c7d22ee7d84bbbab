//! One world, from its first step to its rest.

use std::sync::Arc;

use app::{run_due_work, sweep_returns};
use chrono::TimeDelta;
use domain::fiscal::local_date;

use crate::{
    bug::Bug,
    chance::Chance,
    check, check_refunds,
    delivery::dispatch,
    executor::Process,
    node::Node,
    world::{PROCESSES, World},
};

/// Things go wrong for this many milliseconds.
const STORM: u64 = 10 * 60 * 1000;
/// Long after every window, validity and look-up.
const REST: u64 = STORM + 80 * 60 * 60 * 1000;
/// Long after the last attempt to send an event.
const MAIL: u64 = STORM + 80 * 60 * 60 * 1000;
/// More steps than any world takes: one that takes more does not end.
const STEPS: u64 = 2_000_000;

/// Report of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// A digest of all that was scheduled.
    pub trace: u64,
    /// How many decisions became durable.
    pub commits: u64,
    /// How many processes ended before their time.
    pub crashes: u64,
    /// How many refunds have returned money.
    pub refunds: u64,
    /// How many credit notes were accepted.
    pub notes: u64,
    /// Every promise that was broken; empty if all is well.
    pub findings: Vec<String>,
    /// The choices of the run.
    pub tape: Vec<u32>,
    /// The steps of the run.
    pub story: Vec<String>,
}

/// Runs the world of that seed.
pub fn run(seed: u64, bug: Option<Bug>) -> Report {
    play(Chance::seeded(seed), bug)
}

/// Runs the world of that tape.
pub fn replay(tape: Vec<u32>, bug: Option<Bug>) -> Report {
    play(Chance::replaying(tape), bug)
}

fn play(chance: Chance, bug: Option<Bug>) -> Report {
    let world = World::new(chance, bug);
    world.open_endpoints();
    PROCESSES.into_iter().for_each(|it| world.start(it));
    let mut crashes = 0;
    world.run_until(STORM, &mut crashes);
    world.end_faults();
    world.run_until(REST, &mut crashes);
    if world.findings.lock().is_empty() {
        let now = world.executor.now();
        let (tables, bank, mut findings) = (world.tables.lock(), world.bank.lock(), world.findings.lock());
        check::rest(&tables, &bank, (world.start, now), &mut findings);
        if tables.has_refunds {
            check_refunds::rest(&tables, &bank, &world.authority.lock(), &mut findings);
        }
    }
    if world.findings.lock().is_empty() {
        world.deliver(&mut crashes);
    }
    let (refunds, notes) = world.tables.lock().returned();
    let report = Report {
        trace: world.executor.trace(),
        commits: world.tables.lock().commits,
        crashes,
        refunds,
        notes,
        findings: std::mem::take(&mut world.findings.lock()),
        tape: world.chance.lock().tape().to_vec(),
        story: std::mem::take(&mut world.story.lock()),
    };
    // Tasks hold the world that holds them: without this no run would ever be freed.
    world.executor.clear();
    report
}

impl World {
    fn run_until(self: &Arc<Self>, until: u64, crashes: &mut u64) {
        for _ in 0..STEPS {
            if !self.findings.lock().is_empty() {
                return;
            }
            let Some(ended) = self.executor.step(&self.chance, until) else { return };
            for process in ended {
                *crashes += 1;
                self.restart(process);
            }
        }
        self.find(Some("A2: the world never came to rest".to_owned()));
    }

    /// Delivers all events, through faults, until the queue is empty.
    fn deliver(self: &Arc<Self>, crashes: &mut u64) {
        let begun = self.executor.now();
        self.delivery();
        PROCESSES.into_iter().for_each(|it| self.start(it));
        self.run_until(begun + STORM, crashes);
        self.end_faults();
        self.run_until(begun + MAIL, crashes);
        if self.findings.lock().is_empty() {
            self.tables.lock().check_received(&mut self.findings.lock());
        }
    }

    /// Whether the provider's returns were not listed since half past three of the last morning.
    fn is_sweep_due(&self) -> bool {
        let tables = self.tables.lock();
        let day = local_date(self.now() - TimeDelta::minutes(3 * 60 + 30));
        tables.has_refunds && tables.refunds.swept_until.is_none_or(|swept| swept < day)
    }

    /// A supervisor starts the process again after a while.
    fn restart(self: &Arc<Self>, process: Process) {
        self.set_up(process, false);
        let world = self.clone();
        let pause = u64::from(self.below(8_000)) + 100;
        self.executor.spawn(Process::OUTSIDE, async move {
            world.executor.pause(pause).await;
            world.start(process);
        });
    }

    fn start(self: &Arc<Self>, process: Process) {
        self.set_up(process, true);
        let node = Node::new(self.clone(), process);
        // During the delivery of events no other work runs.
        if self.tables.lock().delivery.is_over() {
            self.executor.spawn(process, async move { work(node).await });
        } else {
            self.executor.spawn(process, async move { dispatch(node).await });
        }
    }
}

/// The worker of a process, which runs due work and sleeps in between. Long after the end of faults clients send no
/// commands, so the worker may sleep long.
async fn work(node: Node) {
    let (ports, world) = (node.ports(), node.world);
    loop {
        // A batch that could not be claimed is claimed later.
        let _ = run_due_work(&ports, 4).await;
        let now = world.now();
        if world.is_sweep_due() {
            // A sweep that failed is repeated later.
            let _ = sweep_returns(&ports).await;
        }
        let longest = if world.executor.now() < 2 * STORM { TimeDelta::seconds(30) } else { TimeDelta::hours(6) };
        let due = world.tables.lock().next_due().unwrap_or(now + longest);
        let wait = due.signed_duration_since(now).clamp(TimeDelta::milliseconds(250), longest);
        world.executor.pause(wait.num_milliseconds().unsigned_abs()).await;
    }
}
