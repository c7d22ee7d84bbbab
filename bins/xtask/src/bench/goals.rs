//! The goals, each with its measured number. Numbers are in thousandths.

use super::{
    measured::Measured,
    results::Report,
    sale_report::{fresh, of_rsa, select},
    scale_out::Scale,
    spread::{Spread, each, rate, thousandths, whole},
    whole_sale::{Line, Store},
};

/// Bound of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    AtLeast(u64),
    AtMost(u64),
}
use Bound::{AtLeast, AtMost};

/// Whether a number depends on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A ratio within one run, or a size.
    Fixed,
    /// A rate or a time.
    Machine,
}
use Kind::{Fixed, Machine};

/// A measured goal.
#[derive(Clone, Copy, Debug)]
struct Goal {
    name: &'static str,
    what: &'static str,
    bound: Bound,
    number: u64,
    kind: Kind,
}

impl Goal {
    const fn is_reached(&self) -> bool {
        match self.bound {
            AtLeast(bound) => self.number >= bound,
            AtMost(bound) => self.number <= bound,
        }
    }
}

/// The measured goals.
pub(super) struct Goals(Vec<Goal>);

impl Goals {
    /// Compares a report with the goals. Parts that were not measured have none.
    pub(super) fn of(report: &Report) -> Self {
        let all = [rates(report), lists(report), documents(report), sales(report), memory(report), processes(report)];
        Self(all.into_iter().flatten().flatten().collect())
    }

    /// Returns the table; empty without goals.
    pub(super) fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let mut text = "\n| goal | what | bound | measured | |\n|---|---|---|---|---|\n".to_owned();
        for it in &self.0 {
            let bound = match it.bound {
                AtLeast(bound) => format!("≥ {}", thousandths(bound)),
                AtMost(bound) => format!("≤ {}", thousandths(bound)),
            };
            let reached = match (it.is_reached(), it.kind) {
                (true, _) => "reached",
                (false, Fixed) => "**not reached**",
                (false, Machine) => "not reached on this machine",
            };
            text += &format!("| {} | {} | {bound} | {} | {reached} |\n", it.name, it.what, thousandths(it.number));
        }
        text
    }

    /// Returns the names of goals that are missed and do not depend on the machine.
    pub(super) fn missed(&self) -> Vec<&'static str> {
        let mut names: Vec<_> =
            self.0.iter().filter(|it| it.kind == Fixed && !it.is_reached()).map(|it| it.name).collect();
        names.dedup();
        names
    }
}

fn goal(name: &'static str, what: &'static str, bound: Bound, kind: Kind, number: Option<u64>) -> Option<Goal> {
    number.map(|number| Goal { name, what, bound, number, kind })
}

/// Returns the median over the rounds of a load of the server.
fn of_server(report: &Report, kind: &str, connections: u32, of: fn(&Measured) -> u64) -> Option<u64> {
    let rounds = report.rounds.find(kind, connections, true)?;
    Some(Spread::of(rounds.iter().map(of).collect()).median())
}

/// Returns the median of the ratios of two loads in the same round, in thousandths.
fn ratio(report: &Report, one: Load, other: Load) -> Option<u64> {
    let find = |it: &Load| report.rounds.find(it.0, it.1, it.2);
    let rounds = find(&one)?.iter().zip(find(&other)?);
    Some(Spread::of(rounds.map(|(it, peer)| one.3(it) * 1000 / other.3(peer).max(1)).collect()).median())
}

/// Kind and connections of a load, whether over HTTP, and a number of it.
type Load = (&'static str, u32, bool, fn(&Measured) -> u64);

fn rates(report: &Report) -> Vec<Option<Goal>> {
    let share = |kind, connections| ratio(report, (kind, connections, true, rate), (kind, 8, false, rate));
    let half: fn(&Measured) -> u64 = |it| it.half_within;
    let most: fn(&Measured) -> u64 = |it| it.most_within;
    let client: fn(&Measured) -> u64 = |it| each(it, it.used.database + it.used.client);
    let cost = ratio(report, ("create", 16, true, cost), ("create", 8, false, client));
    let replay = ratio(report, ("replay", 16, true, rate), ("create", 16, true, rate));
    let conflict = ratio(report, ("conflict", 16, true, self::cost), ("replay", 16, true, self::cost));
    vec![
        goal("G1", "POST of the database at 16 connections", AtLeast(1000), Fixed, share("create", 16)),
        goal("G1", "the same at 64", AtLeast(1300), Fixed, share("create", 64)),
        goal(
            "G2",
            "POST, ms of the server",
            AtMost(250),
            Machine,
            of_server(report, "create", 16, |it| each(it, it.used.server)),
        ),
        goal("G2", "POST with its database, of the database and its client", AtMost(1500), Fixed, cost),
        goal(
            "G3",
            "p99 of p50 at 16",
            AtMost(5000),
            Fixed,
            ratio(report, ("create", 16, true, most), ("create", 16, true, half)),
        ),
        goal("G3", "p99 ms at 16", AtMost(15_000), Machine, of_server(report, "create", 16, most)),
        goal("G3", "p99 ms at 1", AtMost(5000), Machine, of_server(report, "create", 1, most)),
        goal(
            "G3",
            "p50 at 1, of the database's",
            AtMost(2000),
            Fixed,
            ratio(report, ("create", 1, true, half), ("create", 1, false, half)),
        ),
        goal("G4", "replay of POST", AtLeast(5000), Fixed, replay),
        goal("G4", "cost of a 409 of that of a replay", AtMost(1200), Fixed, conflict),
    ]
}

/// Processor time of server and database for one operation.
fn cost(it: &Measured) -> u64 {
    each(it, it.used.server + it.used.database)
}

fn lists(report: &Report) -> Vec<Option<Goal>> {
    let share = |kind, connections| ratio(report, (kind, connections, true, rate), (kind, 8, false, rate));
    let newest = ratio(report, ("newest", 8, true, cost), ("list", 8, true, cost));
    vec![
        goal("G5", "GET of the database", AtLeast(600), Fixed, share("get", 16)),
        goal("G5", "a page of 20 of the database", AtLeast(550), Fixed, share("list", 8)),
        goal("G5", "p99 ms of a page at 8", AtMost(15_000), Machine, of_server(report, "list", 8, |it| it.most_within)),
        goal("G5", "cost of the first page of that of any", AtMost(1200), Fixed, newest),
    ]
}

fn documents(report: &Report) -> Vec<Option<Goal>> {
    let costs = report.costs.as_ref();
    vec![
        goal("G6", "written and signed, of RSA", AtLeast(950), Fixed, costs.map(|it| it.signed_of_rsa[1])),
        goal("G6", "and verified, of RSA", AtLeast(870), Fixed, costs.map(|it| it.checked_of_rsa[1])),
        goal("G7", "PDF, ms", AtMost(1000), Machine, costs.map(|it| it.printed)),
        goal("G7", "PDF, kB", AtMost(14_000), Fixed, costs.map(|it| it.paper)),
        goal(
            "G8",
            "documents a second of one merchant",
            AtLeast(300_000),
            Machine,
            report.issued.as_ref().map(|it| 1000 * rate(it)),
        ),
        goal(
            "G9",
            "webhooks a second",
            AtLeast(5_000_000),
            Machine,
            report.webhooks.as_ref().map(|it| 1000 * rate(it)),
        ),
    ]
}

fn sales(report: &Report) -> Vec<Option<Goal>> {
    if report.sales.is_empty() {
        return Vec::new();
    }
    let cost = |store| Spread::of(select(&report.sales, store, 8).into_iter().map(Line::cost).collect()).median();
    let bytes = Spread::of(report.sales.iter().map(|it| it.bytes).collect()).median();
    vec![
        goal(
            "G10",
            "whole sale in RSA-2048 signatures",
            AtMost(12_000),
            Fixed,
            Some(of_rsa(&report.sales, Store::Analyzed, 8).median()),
        ),
        goal("G10", "whole sale on PostgreSQL, ms", AtMost(5000), Machine, Some(cost(Store::Analyzed))),
        goal("G10", "whole sale on SQLite, ms", AtMost(8000), Machine, Some(cost(Store::Sqlite))),
        goal(
            "G14",
            "fresh database of the same after ANALYZE",
            AtMost(1200),
            Fixed,
            Some(fresh(&report.sales).median()),
        ),
        goal("G16", "kB of a fresh payment in PostgreSQL", AtMost(40_000), Fixed, Some(bytes)),
    ]
}

fn memory(report: &Report) -> Vec<Option<Goal>> {
    let megabytes: fn(&Measured) -> u64 = |it| it.memory * 1000 / 1024;
    let starts = Spread::of(report.starts.iter().map(|it| whole(it.as_micros())).collect());
    let start = (!report.starts.is_empty()).then(|| starts.median());
    vec![
        goal("G11", "MB at 16 connections", AtMost(40_000), Fixed, of_server(report, "create", 16, megabytes)),
        goal("G11", "MB at 256", AtMost(80_000), Fixed, of_server(report, "create", 256, megabytes)),
        goal("G11", "MB while it issues", AtMost(80_000), Fixed, report.issued.as_ref().map(megabytes)),
        goal("G11", "from exec to ready, ms", AtMost(200_000), Machine, start),
    ]
}

fn processes(report: &Report) -> Vec<Option<Goal>> {
    let share = |[one, three]: [Scale; 2]| three.rate() * 1000 / one.rate().max(1);
    let wrong = |[one, three]: [Scale; 2]| 1000 * (one.wrong + three.wrong);
    let of = |[first, last]: [u64; 2]| last * 1000 / first.max(1);
    vec![
        goal("G12", "three servers and workers of one", AtLeast(800), Fixed, report.scale.map(share)),
        goal("G12", "lost or doubled", AtMost(0), Fixed, report.scale.map(wrong)),
        goal(
            "G13",
            "memory after ten minutes of that after one",
            AtMost(1100),
            Fixed,
            report.steady.map(|it| of(it.memory)),
        ),
        goal(
            "G13",
            "p99 of the last minute of that of the first",
            AtMost(1500),
            Fixed,
            report.steady.map(|it| of(it.most_within)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measured::Size;

    #[test]
    fn missed_sizes_are_named_and_missed_times_are_not() {
        let issued = Measured { memory: 81 * 1024, operations: 10, ..Measured::default() };

        let goals = Goals::of(&Report { issued: Some(issued), ..Report::of(Size::QUICK) });

        assert_eq!(goals.missed(), ["G11"]);
        let text = goals.text();
        assert!(text.contains("| G11 | MB while it issues | ≤ 80.00 | 81.00 | **not reached** |"), "{text}");
        assert!(Goals::of(&Report::of(Size::QUICK)).text().is_empty());
    }

    #[test]
    fn bounds_are_inclusive() {
        let of = |bound, number| Goal { name: "", what: "", bound, number, kind: Fixed }.is_reached();

        assert_eq!((of(AtLeast(950), 950), of(AtLeast(950), 949)), (true, false));
        assert_eq!((of(AtMost(1200), 1200), of(AtMost(1200), 1201)), (true, false));
    }
}
