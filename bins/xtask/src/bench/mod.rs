//! Measures the server against its database, on this machine and in one run.
//!
//! Rates drift with the machine, so each round measures the database and then the server; the result is the
//! ratio in the same round. Times of the processor come from `/proc`, which others cannot spoil. All sums are whole
//! numbers: of microseconds, of hundredths.

mod cards;
mod documents;
mod machine;
mod measured;
mod operations;
mod pgbench;
mod register;
mod report;
mod sandbox;
mod tables;
mod webhooks;
mod wrk;

use std::{fs, path::PathBuf, process};

pub(crate) use self::measured::Size;
use self::{
    machine::Processes,
    measured::Load,
    operations::OPERATIONS,
    report::{Report, Rounds},
    sandbox::Sandbox,
    tables::Tables,
};
use crate::{chore::Done, clients, commands, needs, postgres::Server, steps::Steps};

/// Builds the server, starts and fills a database, measures and prints.
pub(crate) fn run(size: Size) -> Done {
    needs::install_for_bench()?;
    Steps::begin("bench").run(commands::release())?;
    Steps::begin("bench").run(commands::measured())?;
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
    let (busy_before, mut rounds) = (machine::busy(), Rounds::default());
    for round in 0..=size.rounds {
        eprintln!("== round {round} of {}{}", size.rounds, if round == 0 { ", which only warms up" } else { "" });
        for operation in OPERATIONS {
            let seconds = if round == 0 { 1 } else { size.seconds };
            let measured = operation.measure(&tables, &sandbox, &load, &processes, (round, seconds))?;
            if round > 0 {
                rounds.add(*operation, measured);
            }
        }
    }
    let report = Report {
        size,
        starts,
        busy_before,
        rounds,
        issued: documents::issue(size, &tables, &processes)?,
        webhooks: webhooks::measure(size, &tables, &sandbox, &processes)?,
        register: register::measure(size, &tables, &folder.0)?,
        page: clients::measure_page(sandbox.address(), sandbox.key())?,
        costs: documents::costs(size.seconds)?,
        cards: cards::measure(size.cards)?,
    };
    print!("{}", report.text());
    cards::fault(&report.cards).map_or(Ok(()), |fault| Err(fault.into()))
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
