use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use tokio::time::sleep;

use super::{gate::Gate, merchant, scenario::Scenario, shop::Shop};
use crate::support::Created;

/// Interval between two looks at the gate.
const LOOK: Duration = Duration::from_millis(20);
/// Duration of a call after which the processes are killed, and the difference to the next such kill.
const CALL: Duration = Duration::from_millis(60);

/// Kills by commit.
#[derive(Default)]
pub(super) struct Kills {
    /// Kills before and after each commit, by the written rows.
    commits: BTreeMap<&'static str, [u32; 2]>,
    /// Kills while the acquirer was silent.
    in_calls: u32,
}

/// Moment of a kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// All rows are written; the transaction is rolled back.
    Before,
    /// The process has not received the confirmation of the commit.
    After,
}

impl Kills {
    /// Returns the moment to kill at, if the commit is one of the scenario and has no kill there yet.
    fn choose(&mut self, scenario: &Scenario, rows: &str) -> Option<Moment> {
        let rows = scenario.commits.iter().find(|commit| **commit == rows)?;
        let kills = self.commits.entry(rows).or_default();
        let moments = [Moment::Before, Moment::After].into_iter().zip(kills);
        let (moment, count) = moments.into_iter().find(|(_, kills)| **kills == 0)?;
        *count += 1;
        Some(moment)
    }

    fn at_commits(&self) -> u32 {
        self.commits.values().flatten().sum()
    }

    /// Prints the kills, and fails if the process was not killed before and after each commit of the scenario.
    pub(super) fn check(&self, scenario: &Scenario) {
        let kills = scenario.commits.iter().map(|rows| (rows, self.commits.get(rows).copied().unwrap_or_default()));
        let kills: Vec<_> = kills.collect();
        for (rows, [before, after]) in &kills {
            println!("{}: {before} kills before, {after} after: {rows}", scenario.name);
        }
        println!("{}: {} kills at commits, {} in calls", scenario.name, self.at_commits(), self.in_calls);
        assert!(kills.iter().all(|(_, kills)| !kills.contains(&0)), "{}: a commit without a kill", scenario.name);
        assert!(self.in_calls >= scenario.in_calls, "{}: {} kills in calls", scenario.name, self.in_calls);
    }
}

/// Refunds of a sale with kills.
pub(super) struct Walked {
    pub(super) returned: merchant::Returned,
    /// Whether no commit is left that needs a kill.
    pub(super) is_complete: bool,
    /// The commits, by the written rows.
    pub(super) commits: BTreeSet<String>,
}

/// Refunds a sale, and kills the processes before and after each commit of the scenario that had no kill there yet.
pub(super) async fn refund(
    shop: &mut Shop,
    gate: &mut Gate,
    kills: &mut Kills,
    (scenario, sale): (&'static Scenario, &Created),
) -> Walked {
    let (kills_before, mut commits) = (kills.at_commits(), BTreeSet::new());
    let refunding = tokio::spawn(merchant::refund(shop.client.clone(), scenario, sale.clone()));
    let mut last_commit = Instant::now();
    gate.close().await;
    while !refunding.is_finished() {
        let view = gate.view().await;
        let Some(rows) = view.held else {
            let is_silent = scenario.in_calls > 0 && view.is_calling;
            if is_silent && last_commit.elapsed() > CALL * (kills.in_calls + 1) {
                kills.in_calls += 1;
                restart(shop, gate).await;
                last_commit = Instant::now();
            } else if view.is_idle {
                gate.pass_time().await;
            }
            sleep(LOOK).await;
            continue;
        };
        match kills.choose(scenario, &rows) {
            None => gate.pass().await,
            Some(moment) => {
                shop.kill();
                if moment == Moment::After {
                    gate.pass().await;
                }
                restart(shop, gate).await;
            }
        }
        commits.insert(rows);
        last_commit = Instant::now();
    }
    gate.open().await;
    let returned = refunding.await.unwrap_or_else(|error| panic!("{error}: {}", shop.log()));
    let is_complete = kills.at_commits() == kills_before && kills.in_calls >= scenario.in_calls;
    Walked { returned, is_complete, commits }
}

/// Ends both processes and their transactions, lets time pass, and starts the processes again.
async fn restart(shop: &mut Shop, gate: &mut Gate) {
    shop.kill();
    gate.roll_back().await;
    gate.pass_time().await;
    shop.start();
}
