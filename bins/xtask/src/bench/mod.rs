//! What the server does against what its database could do, on this machine, in one run.
//!
//! Rates drift with the machine, so each round measures the database and then the server, and what counts is their
//! ratio in the same round. Times of the processor come from `/proc`, which others cannot spoil. All sums are whole
//! numbers: of microseconds, of hundredths.

mod cards;
mod documents;
mod machine;
mod operations;
mod pgbench;
mod register;
mod report;
mod sandbox;
mod tables;
mod webhooks;
mod wrk;

use std::{
    env, fs,
    path::PathBuf,
    process::{self, Command},
    time::Duration,
};

use self::{
    machine::{Processes, Used},
    operations::{Load, OPERATIONS, Operation},
    report::Report,
    sandbox::Sandbox,
    tables::Tables,
};
use crate::{
    Done, clients, needs,
    postgres::Server,
    root,
    steps::{self, Steps},
};

/// How much is measured.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    payments: u32,
    rounds: usize,
    seconds: u32,
    /// So many events wait for one endpoint.
    waiting: u32,
    /// Cards are submitted for so many seconds.
    cards: u32,
    /// So many documents are due at once.
    documents: u32,
    /// The register has so many taxpayers.
    taxpayers: u32,
}

impl Size {
    /// Enough to quote.
    pub(crate) const FULL: Self = Self {
        payments: 1_000_000,
        rounds: 5,
        seconds: 3,
        waiting: 100_000,
        cards: 30,
        documents: 5_000,
        taxpayers: 800_000,
    };
    /// Enough to see that it works.
    pub(crate) const QUICK: Self =
        Self { payments: 20_000, rounds: 1, seconds: 1, waiting: 10_000, cards: 3, documents: 200, taxpayers: 20_000 };
}

/// What one kind of load did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// Operations that were done.
    pub(crate) operations: u64,
    /// How long that took.
    pub(crate) took: Duration,
    /// Half of them took at most so many microseconds.
    pub(crate) half_within: u64,
    /// Of a hundred, 99 took at most so many microseconds.
    pub(crate) most_within: u64,
    /// Those that ended otherwise than they should.
    pub(crate) failed: u64,
    /// What they cost.
    pub(crate) used: Used,
    /// The most memory that the server had meanwhile, in kilobytes; 0 for the database alone.
    pub(crate) memory: u64,
}

/// Builds the server, starts a database, fills it, measures and prints.
pub(crate) fn run(size: Size) -> Done {
    needs::meet_to_measure()?;
    Steps::begin().run(steps::release())?;
    Steps::begin().run(steps::measured())?;
    let folder = Folder::make()?;
    let server = Server::start_durable()?;
    let tables = Tables::make(&server)?;

    let starts = sandbox::time_starts(&tables, &folder.0, 5)?;
    let sandbox = Sandbox::start(&tables, &folder.0)?;
    eprintln!("== {} payments", size.payments);
    sandbox.make_templates()?;
    let load = Load { payments: size.payments, values: tables.fill(size.payments)?, files: folder.0.clone() };
    tables.write_names(size.payments, &load.names())?;
    sandbox.write_keys(&tables, &load.keys())?;

    let processes = Processes { server: sandbox.process(), database: server.process()? };
    let mut report = Report::new(size, starts);
    for round in 0..=size.rounds {
        eprintln!("== round {round} of {}{}", size.rounds, if round == 0 { ", which only warms up" } else { "" });
        for operation in OPERATIONS {
            let seconds = if round == 0 { 1 } else { size.seconds };
            let measured = operation.measure(&tables, &sandbox, &load, &processes, (round, seconds))?;
            if round > 0 {
                report.add(*operation, measured);
            }
        }
    }
    report.issued(documents::issue(size, &tables, &processes)?);
    report.webhooks(webhooks::measure(size, &tables, &sandbox, &processes)?);
    report.register(register::measure(size, &tables, &folder.0)?);
    report.page(clients::measure_page(sandbox.address(), sandbox.key())?);
    report.costs(documents::costs(size.seconds)?);
    let cards = cards::measure(size.cards)?;
    report.cards(cards);
    print!("{}", report.text());
    cards::fault(&cards).map_or(Ok(()), |fault| Err(fault.into()))
}

/// What an example of one of the crates tells when it is given `arguments`.
fn example(name: &str, arguments: &[String]) -> Done<String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |it| root().join(it));
    let output = Command::new(target.join("release/examples").join(name)).args(arguments).output()?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// A whole number in a line of JSON.
fn number(told: &str, name: &str) -> Done<u64> {
    let after = told.split_once(&format!("\"{name}\":")).ok_or_else(|| format!("no {name} in {told}"))?.1;
    let digits = after.split(|it: char| !it.is_ascii_digit()).next().unwrap_or_default();
    Ok(digits.parse()?)
}

/// A folder of our own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Done<Self> {
        let path = std::env::temp_dir().join(format!("cobro-bench-{}", process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("xtask: {} stays: {error}", self.0.display());
        }
    }
}
