//! Three servers and three workers on one database, against one of each: sales for each second of the processor, and
//! whether each sale has exactly one charge, one document and one number.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::{
    deployment::Deployment,
    machine::{self, Processes},
    measured::Size,
    sale::Load,
    tables::Tables,
};
use crate::{chore::Done, postgres::Server};

/// Processes of each kind.
const MANY: usize = 3;
/// A key may make so many checkout tokens in a minute, and none is asked to make more.
const SALES_OF_A_KEY: u64 = 40;
/// Timeout of the documents after the last card.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(120);

/// Measurement of a number of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) sales: u64,
    pub(crate) took: Duration,
    /// Processor time of servers, workers and database.
    pub(crate) used: Duration,
    /// Sales that failed, or that have not exactly one charge, document, number and event of each kind.
    pub(crate) wrong: u64,
}

impl Scale {
    /// Sales for a second of the processor, in thousandths.
    pub(crate) fn rate(&self) -> u64 {
        let used = u64::try_from(self.used.as_micros()).unwrap_or(u64::MAX).max(1);
        self.sales.saturating_mul(1_000_000_000) / used
    }
}

/// Sells with one process of each kind, then with three. Each has a new database.
pub(super) fn measure(size: Size, server: &Server, tables: &Tables, folder: &Path) -> Done<[Scale; 2]> {
    let mut measured = [Scale::default(); 2];
    for (place, count) in [1, MANY].into_iter().enumerate() {
        eprintln!("== {count} servers and {count} workers");
        let database = tables.another(server, &format!("cobro_scale_{count}"))?;
        measured[place] = sell(size, count, server, &database, &folder.join(format!("scale-{count}")))?;
        database.drop(server)?;
    }
    Ok(measured)
}

fn sell(size: Size, count: usize, server: &Server, database: &Tables, folder: &Path) -> Done<Scale> {
    let deployment = Deployment::make(database, folder)?;
    let keys = (0..=size.sales / SALES_OF_A_KEY).map(|_| deployment.key()).collect::<Done<Vec<_>>>()?;
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let servers = (0..count).map(|number| deployment.serve(number)).collect::<Done<Vec<_>>>()?;
    let urls: Vec<&str> = servers.iter().map(|(_, url)| url.as_str()).collect();
    let workers = (0..count).map(|number| deployment.work(number)).collect::<Done<Vec<_>>>()?;
    let own: Vec<u32> = servers.iter().map(|(it, _)| it.id()).chain(workers.iter().map(|it| it.id())).collect();

    // A few sales connect and plan; then the statistics are those of a database in use.
    let load = Load { servers: &urls, keys: &keys, inbox: None, clients: 9, sales: 18, pace: None, name: "warm" };
    let mut failed = load.run()?.failed;
    wait_until_issued(database)?;
    database.ask("ANALYZE")?;
    let (before, begun) = (used(&own, server)?, Instant::now());
    let sold = Load { sales: size.sales, name: "sold", ..load }.run()?;
    wait_until_issued(database)?;
    let took = begun.elapsed();
    let used = used(&own, server)?.saturating_sub(before);
    if sold.failed > 0 {
        eprintln!("{} sales failed, such as: {}", sold.failed, sold.reason);
    }
    failed += sold.failed;
    let paid = sold.times.len() as u64;
    Ok(Scale { sales: paid, took, used, wrong: failed + count_wrong(database)? })
}

fn used(own: &[u32], server: &Server) -> Done<Duration> {
    let database = server.process()?;
    let database = Processes { server: database, database }.used()?.database;
    own.iter().try_fold(database, |sum, process| Ok(sum + machine::own_time(*process)?))
}

fn wait_until_issued(database: &Tables) -> Done {
    let begun = Instant::now();
    while database.count_unissued()? > 0 {
        if begun.elapsed() > ISSUE_TIMEOUT {
            return Err("documents were not issued in time".into());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Counts sales that have not exactly one approved charge, one issued document with a number of its own, and one event
/// of each step, and numbers without a document.
fn count_wrong(database: &Tables) -> Done<u64> {
    const WRONG: &str = "SELECT (SELECT count(*) FROM payments p WHERE status <> 'succeeded' \
        OR 1 <> (SELECT count(*) FROM attempts a WHERE a.payment = p.id AND a.state = 'approved') \
        OR 1 <> (SELECT count(*) FROM fiscal_documents d WHERE d.payment = p.id AND d.status = 'issued' \
            AND d.fiscal_number IS NOT NULL) \
        OR 1 <> (SELECT count(*) FROM events e WHERE e.payment = p.id AND e.kind = 'payment.succeeded') \
        OR 1 <> (SELECT count(*) FROM events e WHERE e.payment = p.id AND e.kind = 'fiscal_document.issued')) \
        + (SELECT count(*) - count(DISTINCT fiscal_number) FROM fiscal_documents) \
        + (SELECT abs(sum(next - first) - (SELECT count(*) FROM fiscal_documents)) FROM number_ranges)";
    Ok(database.ask(WRONG)?.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_that_of_a_second_of_the_processor() {
        let scale = Scale { sales: 100, took: Duration::from_secs(9), used: Duration::from_secs(2), wrong: 0 };

        assert_eq!((scale.rate(), Scale::default().rate()), (50_000, 0));
    }
}
