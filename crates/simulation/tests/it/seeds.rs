use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use simulation::{Report, run, shrink};

/// How many worlds are played.
const SEEDS: u64 = 10_000;

/// Panics with the shortest story of a failure, and the command that repeats the failure.
fn fail(seed: u64, report: Report) -> ! {
    let short = shrink(report, None, 300);
    let story = short.story.join("\n");
    panic!(
        "seed {seed} broke {:?}\n{story}\nagain: SEED={seed} cargo nextest run -p simulation one_seed",
        short.findings
    );
}

#[test]
fn no_world_breaks_a_promise() {
    let next = AtomicU64::new(1);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > SEEDS {
                        return;
                    }
                    let report = run(seed, None);
                    if !report.findings.is_empty() {
                        fail(seed, report);
                    }
                }
            });
        }
    });
}

#[test]
fn one_seed() {
    let seed = std::env::var("SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(1);

    let report = run(seed, None);

    assert!(report.commits > 0, "nothing happened");
    if !report.findings.is_empty() {
        fail(seed, report);
    }
}

#[test]
fn the_same_seed_is_the_same_world() {
    for seed in 1..=200 {
        let [first, second] = [run(seed, None), run(seed, None)];

        assert_eq!(first, second, "seed {seed}");
    }
}

#[test]
fn worlds_are_stormy() {
    let reports: Vec<Report> = (1..=200).map(|seed| run(seed, None)).collect();

    let crashes: u64 = reports.iter().map(|it| it.crashes).sum();
    let commits: u64 = reports.iter().map(|it| it.commits).sum();
    assert!(crashes > 200, "{crashes} crashes");
    assert!(commits > 2_000, "{commits} decisions");
    let [refunds, notes]: [u64; 2] =
        [|it: &Report| it.refunds, |it: &Report| it.notes].map(|count| reports.iter().map(count).sum());
    assert!(refunds > 50, "{refunds} refunds");
    assert!(notes > 40, "{notes} credit notes");
}
