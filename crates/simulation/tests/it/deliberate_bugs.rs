use simulation::{Bug, run};

/// A bug must show within this many worlds.
const SEEDS: u64 = 1_000;

#[test]
fn every_bug_is_found() {
    let mut missed = Vec::new();
    for bug in Bug::ALL {
        match (1..=SEEDS).find_map(|seed| Some((seed, run(seed, Some(bug)).findings.into_iter().next()?))) {
            Some((seed, finding)) => println!("{bug:?}: seed {seed}: {finding}"),
            None => missed.push(bug),
        }
    }

    assert_eq!(missed, [], "not found in {SEEDS} worlds");
}
