//! Refunds while `cobro serve` and `cobro work` are killed before and after every commit: money is returned once, with
//! one credit note.

mod embedded;
mod ends;
mod gate;
mod merchant;
mod scenario;
mod shop;
mod walk;

use self::{
    gate::Gate,
    scenario::{LOST_REFUND, REFUND, SILENT_VOID, SPLIT, Scenario, VOID},
    shop::Shop,
    walk::{Kills, Walked},
};

/// Maximum number of sales of a scenario. The last one is refunded without a kill at a commit.
const SALES: usize = 20;

/// Refunds sales until each commit of the scenario had a kill before and a kill after.
async fn kill_at_every_commit(scenario: &'static Scenario, test: &str) {
    let mut shop = Shop::open(test).await;
    let mut gate = Gate::install(&shop.database).await;
    let mut kills = Kills::default();
    for n in 1..=SALES {
        let sale = shop.sell(scenario, &format!("sale-{n}")).await;
        let Walked { returned, is_complete, commits } =
            walk::refund(&mut shop, &mut gate, &mut kills, (scenario, &sale)).await;
        let records = shop.records(&sale).await;
        ends::check(&shop.client, &records, (scenario, &sale), &returned).await;
        if is_complete {
            let is_known = |rows: &String| scenario::ALL.iter().any(|it| it.commits.contains(&rows.as_str()));
            assert!(commits.iter().all(is_known), "{}: no scenario kills at some of {commits:?}", scenario.name);
            records.check_notes(n);
            return kills.check(scenario);
        }
    }
    panic!("{}: no refund without a kill at a commit", scenario.name);
}

#[tokio::test]
async fn a_void_survives_kills_at_every_commit() {
    kill_at_every_commit(&VOID, "kill_void").await;
}

#[tokio::test]
async fn a_refund_survives_kills_at_every_commit() {
    kill_at_every_commit(&REFUND, "kill_refund").await;
}

#[tokio::test]
async fn a_refund_with_a_lost_response_survives_kills_at_every_commit() {
    kill_at_every_commit(&LOST_REFUND, "kill_lost_refund").await;
}

#[tokio::test]
async fn a_void_without_a_response_survives_kills_at_every_commit() {
    kill_at_every_commit(&SILENT_VOID, "kill_silent_void").await;
}

#[tokio::test]
async fn a_split_with_a_declined_leg_survives_kills_at_every_commit() {
    kill_at_every_commit(&SPLIT, "kill_split").await;
}
