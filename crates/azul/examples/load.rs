//! Load test: submits cards at a constant rate through the adapter to the simulated acquirer over mutual TLS. Prints the
//! latencies and the peak memory of both ends as one line of JSON.
//!
//! ```text
//! load CARDS_A_SECOND SECONDS
//! ```

use std::{
    collections::BTreeMap,
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use ports::{CallOutcome, CardProvider};
use sandbox::LookupFormat;
use serde_json::json;
use testkit::provider::GOOD;
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

#[path = "../tests/it/bench.rs"]
#[expect(dead_code, reason = "the tests of the adapter need more of it")]
mod bench;
#[path = "../tests/it/counter.rs"]
#[expect(dead_code, reason = "the tests of the adapter need more of it")]
mod counter;

use bench::Bench;
use counter::charge;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<u32>());
    let (Some(Ok(rate @ 1..=10_000)), Some(Ok(seconds @ 1..=600))) = (arguments.next(), arguments.next()) else {
        eprintln!("load CARDS_A_SECOND SECONDS");
        std::process::exit(2);
    };
    let bench = Bench::with(LookupFormat::Documented, true).await;

    let begun = Instant::now();
    let outcomes = submit(&bench, rate, rate * seconds).await;
    let took = begun.elapsed();

    let mut times: Vec<Duration> = outcomes.iter().map(|(_, took)| *took).collect();
    times.sort_unstable();
    let within = |hundredths: usize| times[(times.len() - 1) * hundredths / 100].as_micros();
    let mut counts = BTreeMap::<String, usize>::new();
    for (outcome, _) in &outcomes {
        *counts.entry(format!("{outcome:?}")).or_default() += 1;
    }
    eprintln!("{counts:?}");
    let approved = outcomes.iter().filter(|(outcome, _)| *outcome == CallOutcome::Approved).count();
    println!(
        "{}",
        json!({
            "operations": outcomes.len(),
            "failed": outcomes.len() - approved,
            "tookMicroseconds": took.as_micros(),
            "halfWithinMicroseconds": within(50),
            "mostWithinMicroseconds": within(99),
            "memoryKilobytes": most_memory(),
        })
    );
}

/// Submits cards at a constant rate, independently of the responses.
async fn submit(bench: &Bench, rate: u32, cards: u32) -> Vec<(CallOutcome, Duration)> {
    let mut pace = interval(Duration::from_secs(1) / rate);
    // Late requests catch up, because payers do not wait for each other.
    pace.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut under_way = JoinSet::new();
    for n in 1..=cards {
        pace.tick().await;
        let azul = Arc::clone(&bench.azul);
        under_way.spawn(async move {
            let begun = Instant::now();
            let answer = azul.charge(charge(n, GOOD)).await;
            (answer.outcome, begun.elapsed())
        });
    }
    under_way.join_all().await
}

/// Returns the peak memory of this process in kilobytes.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the kernel tells of each process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the status states the memory");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}
