//! Whole sales on both stores: rate, processor time of server and database, and counts per sale. PostgreSQL is measured
//! first with a new database that was never analyzed, then again after ANALYZE.

use std::{
    fmt, fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::{
    counts::Counts,
    documents,
    machine::Processes,
    measured::{Measured, Size},
    sale::{EVENTS, Inbox, Load},
    sandbox::Sandbox,
    tables::Tables,
};
use crate::{chore::Done, postgres::Server};

/// Sales before each measurement, which open connections and plan statements.
const WARM_UP: u64 = 16;

/// Store and state of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// PostgreSQL without statistics: the database was made a second ago.
    Fresh,
    /// PostgreSQL after ANALYZE.
    Analyzed,
    Sqlite,
}

impl fmt::Display for Store {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Fresh => "PostgreSQL, fresh",
            Self::Analyzed => "PostgreSQL",
            Self::Sqlite => "SQLite",
        })
    }
}

/// A measurement of whole sales.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) store: Store,
    pub(crate) clients: usize,
    pub(crate) measured: Measured,
    pub(crate) counts: Counts,
    /// Webhooks that came more than once.
    pub(crate) repeated: u64,
    /// Time of a bare RSA-2048 signature right before, in microseconds.
    pub(crate) rsa: u64,
}

/// Measurements of one round, and what the whole round added to the database.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) lines: Vec<Line>,
    /// Rows that were written, per sale in thousandths.
    pub(crate) rows: u64,
    /// Bytes by which the database has grown, per sale.
    pub(crate) bytes: u64,
}

/// Sells on each store, in rounds with a new database each.
pub(super) fn measure(size: Size, server: &Server, tables: &Tables, folder: &Path) -> Done<Vec<Round>> {
    let inbox = Inbox::open()?;
    let measure = |round| {
        eprintln!("== whole sales, round {round} of {}", size.sale_rounds);
        let folder = folder.join(format!("sales-{round}"));
        let database = tables.another(server, &format!("cobro_sales_{round}"))?;
        let mut measured = on_postgres(size, server, &database, &folder.join("postgres"), &inbox)?;
        measured.lines.extend(on_sqlite(size, &folder.join("sqlite"), &inbox)?);
        fs::remove_dir_all(folder)?;
        database.drop(server)?;
        Ok(measured)
    };
    (1..=size.sale_rounds).map(measure).collect()
}

fn on_postgres(size: Size, server: &Server, database: &Tables, folder: &Path, inbox: &Inbox) -> Done<Round> {
    // The first start migrates and makes the demo merchant.
    drop(Sandbox::start(database, folder)?);
    let (rows, bytes) = (database.count_written()?, database.count_bytes()?);
    database.ask("CHECKPOINT")?;
    let sandbox = Sandbox::start(database, folder)?;
    sandbox.register(inbox.url(), &EVENTS)?;
    let counts = || Counts::of_database(server, database);
    let bench = Bench {
        size,
        sandbox: &sandbox,
        database: Some(server.process()?),
        counts: &counts,
        inbox,
        rsa: documents::costs(1)?.rsa,
    };

    let mut lines = vec![bench.line(Store::Fresh, 8)?];
    database.ask("ANALYZE")?;
    lines.extend([bench.line(Store::Analyzed, 1)?, bench.line(Store::Analyzed, 8)?]);
    drop(sandbox);
    let sales = lines.iter().map(|it| it.measured.operations + WARM_UP).sum::<u64>().max(1);
    let per_sale = |after: u64, before: u64| after.saturating_sub(before) / sales;
    let rows = per_sale(1000 * database.count_written()?, 1000 * rows);
    Ok(Round { lines, rows, bytes: per_sale(database.count_bytes()?, bytes) })
}

fn on_sqlite(size: Size, folder: &Path, inbox: &Inbox) -> Done<Vec<Line>> {
    let sandbox = Sandbox::start_on(None, folder)?;
    sandbox.register(inbox.url(), &EVENTS)?;
    let counts = || Counts::of_files(sandbox.process());
    let bench =
        Bench { size, sandbox: &sandbox, database: None, counts: &counts, inbox, rsa: documents::costs(1)?.rsa };
    Ok(vec![bench.line(Store::Sqlite, 1)?, bench.line(Store::Sqlite, 8)?])
}

/// Inputs of the measurements of one server.
struct Bench<'a> {
    size: Size,
    sandbox: &'a Sandbox,
    /// Process of the database, unless the server is the database.
    database: Option<u32>,
    counts: &'a dyn Fn() -> Done<Counts>,
    inbox: &'a Inbox,
    rsa: u64,
}

impl Bench<'_> {
    fn line(&self, store: Store, clients: usize) -> Done<Line> {
        let keys = [self.sandbox.key(), self.sandbox.admin_key()];
        let servers = [self.sandbox.address()];
        let name = format!("{clients}{}", if store == Store::Fresh { "f" } else { "a" });
        let warm_up = format!("{name}w");
        let inbox = Some(self.inbox);
        let (servers, keys) = (&servers[..], &keys[..]);
        let load = Load { servers, keys, inbox, clients, sales: WARM_UP, pace: None, name: &warm_up };
        load.run()?;
        self.inbox.clear();

        let sales = if clients == 1 { self.size.sales / 2 } else { self.size.sales };
        let server = self.sandbox.process();
        let processes = Processes { server, database: self.database.unwrap_or(server) };
        processes.forget_memory()?;
        let (counts, before, begun) = ((self.counts)()?, processes.used()?, Instant::now());
        let mut sold = Load { sales, name: &name, ..load }.run()?;
        let took = begun.elapsed();
        sold.times.sort_unstable();
        // Processes of the database may need a moment to end.
        thread::sleep(Duration::from_millis(300));
        let mut used = processes.used()? - before;
        if self.database.is_none() {
            used.database = Duration::ZERO;
        }
        let counts = (self.counts)()? - counts;
        if sold.failed > 0 {
            eprintln!("{} sales failed, such as: {}", sold.failed, sold.reason);
        }
        let within = |percent: usize| sold.times.get(sold.times.len() * percent / 100).copied().unwrap_or_default();
        let measured = Measured {
            operations: sold.times.len() as u64,
            took,
            half_within: within(50),
            most_within: within(99),
            failed: sold.failed,
            used,
            memory: processes.most_memory()?,
        };
        Ok(Line { store, clients, measured, counts, repeated: self.inbox.clear(), rsa: self.rsa })
    }
}

impl Line {
    /// Processor time of server and database per sale, in microseconds.
    pub(crate) fn cost(&self) -> u64 {
        let used = self.measured.used.server + self.measured.used.database;
        u64::try_from(used.as_micros()).unwrap_or(u64::MAX) / self.measured.operations.max(1)
    }

    /// Returns the cost in thousandths of a bare RSA-2048 signature.
    pub(crate) fn of_rsa(&self) -> u64 {
        self.cost() * 1000 / self.rsa.max(1)
    }
}
