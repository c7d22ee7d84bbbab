//! All measurements of a run.

use std::time::Duration;

use super::{
    documents::Costs,
    measured::{Measured, Size},
    operations::Operation,
    scale_out::Scale,
    spread::{Spread, rate},
    steady::Steady,
    whole_sale::Round,
};

/// Measurements of each operation, by round.
#[derive(Default)]
pub(crate) struct Rounds(pub(super) Vec<(Operation, Vec<Measured>)>);

impl Rounds {
    /// Adds a round of an operation.
    pub(crate) fn add(&mut self, operation: Operation, measured: Measured) {
        match self.0.iter_mut().find(|(it, _)| *it == operation) {
            Some((_, rounds)) => rounds.push(measured),
            None => self.0.push((operation, vec![measured])),
        }
    }

    /// Returns the rounds of a load.
    pub(super) fn find(&self, kind: &str, connections: u32, is_http: bool) -> Option<&[Measured]> {
        let is_it = |it: &Operation| (it.kind, it.connections, it.is_http) == (kind, connections, is_http);
        self.0.iter().find(|(it, _)| is_it(it)).map(|(_, rounds)| rounds.as_slice())
    }

    /// Returns the rate as a share of the database's rate in the same round.
    pub(super) fn ratio(&self, operation: &Operation, rounds: &[Measured]) -> String {
        let Some(peer) = operation.peer() else { return String::new() };
        let Some((_, of_peer)) = self.0.iter().find(|(it, _)| *it == peer) else { return String::new() };
        let ratios = rounds.iter().zip(of_peer).map(|(it, peer)| rate(it) * 1000 / rate(peer).max(1));
        Spread::of(ratios.collect()).thousandths()
    }
}

/// All measurements of a bench.
pub(crate) struct Report {
    pub(super) size: Size,
    pub(super) starts: Vec<Duration>,
    /// Load of the machine before the rounds.
    pub(super) busy_before: String,
    pub(super) sales: Vec<Round>,
    /// One server and worker, and three of each.
    pub(super) scale: Option<[Scale; 2]>,
    pub(super) steady: Option<Steady>,
    pub(super) rounds: Rounds,
    pub(super) issued: Option<Measured>,
    pub(super) webhooks: Option<Measured>,
    pub(super) register: Option<Measured>,
    /// Sentence about the payment page in a browser.
    pub(super) page: String,
    pub(super) costs: Option<Costs>,
    pub(super) cards: Option<Measured>,
}

impl Report {
    /// Returns a report without measurements.
    pub(super) fn of(size: Size) -> Self {
        Self {
            size,
            starts: Vec::new(),
            busy_before: String::new(),
            sales: Vec::new(),
            scale: None,
            steady: None,
            rounds: Rounds::default(),
            issued: None,
            webhooks: None,
            register: None,
            page: String::new(),
            costs: None,
            cards: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_compared_with_the_database_in_the_same_round() {
        let of = |operations| Measured { operations, took: Duration::from_secs(1), ..Measured::default() };
        let http = super::super::operations::OPERATIONS.iter().find(|it| it.peer().is_some()).copied().unwrap();
        let mut rounds = Rounds::default();
        for (server, database) in [(50, 100), (30, 40), (10, 100)] {
            rounds.add(http.peer().unwrap(), of(database));
            rounds.add(http, of(server));
        }

        assert_eq!(rounds.ratio(&http, &rounds.0[1].1), "0.50 (0.10–0.75)");
    }
}
