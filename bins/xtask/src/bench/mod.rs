//! Measures the server against its database, on this machine and in one run.
//!
//! Rates drift with the machine, so each round measures the database and then the server; the result is the
//! ratio in the same round. Times of the processor come from `/proc`, which others cannot spoil. All sums are whole
//! numbers: of microseconds, of hundredths.

mod cards;
mod child;
mod counts;
mod deployment;
mod documents;
mod flame;
mod goals;
mod http;
mod machine;
mod measured;
mod operations;
mod pgbench;
mod plan;
mod profile;
mod register;
mod report;
mod results;
mod sale;
mod sale_report;
mod sandbox;
mod scale_out;
mod shop;
mod sink;
mod spread;
mod steady;
mod tables;
mod webhooks;
mod whole_sale;
mod wrk;

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    time::Instant,
};

pub(crate) use self::plan::Plan;
use self::{
    goals::Goals, machine::Processes, measured::Load, operations::OPERATIONS, plan::Part, results::Report,
    sandbox::Sandbox, tables::Tables,
};
use crate::{chore::Done, clients, commands, needs, postgres::Server, steps::Steps};

/// Builds the server, starts and fills a database, measures and prints.
pub(crate) fn run(plan: &Plan) -> Done {
    needs::install_for_bench()?;
    if !plan.is_built {
        Steps::begin("bench").run(if plan.is_profile {
            commands::release_with_symbols()
        } else {
            commands::release()
        })?;
        Steps::begin("bench").run(commands::measured())?;
    }
    let size = plan.size;
    let folder = Folder::make()?;
    let server = Server::start_durable()?;
    let tables = Tables::make(&server)?;
    if plan.is_profile {
        return profile::record(&server, &tables, &folder.0);
    }
    let mut report = Report { busy_before: machine::busy(), ..Report::of(size) };

    if plan.has(Part::Sales) {
        report.sales = timed("whole sales", || whole_sale::measure(size, &server, &tables, &folder.0))?;
    }
    if plan.has(Part::Scale) {
        report.scale = Some(timed("scale-out", || scale_out::measure(size, &server, &tables, &folder.0))?);
    }
    // Ten minutes are too long for a check of the bench.
    if plan.has(Part::Steady) && !plan.is_quick {
        report.steady = Some(timed("ten minutes", || steady::measure(&server, &tables, &folder.0))?);
    }
    if [Part::Rates, Part::Documents, Part::Webhooks, Part::Page].iter().any(|part| plan.has(*part)) {
        measure_server(plan, &server, &tables, &folder.0, &mut report)?;
    }
    if plan.has(Part::Register) {
        report.register = Some(timed("register", || register::measure(size, &tables, &folder.0))?);
    }
    if plan.has(Part::Costs) {
        report.costs = Some(timed("cost of a document", || documents::costs(size.seconds))?);
    }
    if plan.has(Part::Cards) {
        report.cards = Some(timed("cards", || cards::measure(size.cards))?);
    }
    print!("{}", report.text());
    verdict(plan, &report)
}

/// Fails if cards were lost, or if a whole run misses a goal that does not depend on the machine.
fn verdict(plan: &Plan, report: &Report) -> Done {
    if let Some(fault) = report.cards.as_ref().and_then(cards::fault) {
        return Err(fault.into());
    }
    let missed = Goals::of(report).missed();
    if missed.is_empty() || plan.is_quick {
        return Ok(());
    }
    Err(format!("not reached: {}", missed.join(", ")).into())
}

/// Measures the server on a filled database.
fn measure_server(plan: &Plan, server: &Server, tables: &Tables, folder: &Path, report: &mut Report) -> Done {
    let size = plan.size;
    report.starts = sandbox::time_starts(tables, folder, 5)?;
    let sandbox = Sandbox::start(tables, folder)?;
    let load = timed("filling", || fill(size.payments, &sandbox, tables, folder))?;

    let processes = Processes { server: sandbox.process(), database: server.process()? };
    if plan.has(Part::Rates) {
        timed("rates", || measure_rates(report, tables, &sandbox, &load, &processes))?;
    }
    if plan.has(Part::Documents) {
        report.issued = Some(timed("documents", || documents::issue(size, tables, &processes))?);
    }
    if plan.has(Part::Webhooks) {
        report.webhooks = Some(timed("webhooks", || webhooks::measure(size, tables, &sandbox, &processes))?);
    }
    if plan.has(Part::Page) {
        report.page = timed("payment page", || clients::measure_page(sandbox.address(), sandbox.key()))?;
    }
    Ok(())
}

/// Makes ten sales and clones them.
fn fill(payments: u32, sandbox: &Sandbox, tables: &Tables, folder: &Path) -> Done<Load> {
    eprintln!("== {payments} payments");
    sandbox.make_templates()?;
    let load = Load { payments, values: tables.fill(payments)?, files: folder.to_owned() };
    tables.write_names(payments, &load.names())?;
    sandbox.write_keys(tables, &load.keys())?;
    Ok(load)
}

fn measure_rates(report: &mut Report, tables: &Tables, sandbox: &Sandbox, load: &Load, processes: &Processes) -> Done {
    let size = report.size;
    for round in 0..=size.rounds {
        eprintln!("== round {round} of {}{}", size.rounds, if round == 0 { ", which only warms up" } else { "" });
        for operation in OPERATIONS {
            let seconds = if round == 0 { 1 } else { size.seconds };
            let measured = operation.measure(tables, sandbox, load, processes, (round, seconds))?;
            if round > 0 {
                report.rounds.add(*operation, measured);
            }
        }
    }
    Ok(())
}

/// Runs a part and prints how long it took.
fn timed<T>(name: &str, part: impl FnOnce() -> Done<T>) -> Done<T> {
    let begun = Instant::now();
    let done = part();
    eprintln!("== {name}: {} s", begun.elapsed().as_secs());
    done
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
