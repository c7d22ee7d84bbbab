//! Finds a short story that breaks the same promise.

use crate::{
    bug::Bug,
    run::{Report, replay},
};

/// Replays shorter and more boring tapes as long as the first promise that `report` broke is still
/// broken, `budget` times at most.
pub fn shrink(report: Report, bug: Option<Bug>, budget: usize) -> Report {
    let mut shortest = report;
    let Some(promise) = promise(&shortest) else { return shortest };
    let mut left = budget;
    let mut block = shortest.tape.len();
    while block > 0 && left > 0 {
        let mut from = 0;
        while from < shortest.tape.len() && left > 0 {
            let mut tape = shortest.tape.clone();
            let to = (from + block).min(tape.len());
            if tape[from..to].iter().any(|it| *it > 0) {
                left -= 1;
                tape[from..to].fill(0);
                let tried = replay(tape, bug);
                if self::promise(&tried).as_ref() == Some(&promise) {
                    shortest = tried;
                }
            }
            from += block;
        }
        block /= 2;
    }
    shortest
}

/// The name of the promise that was broken first.
fn promise(report: &Report) -> Option<String> {
    report.findings.first().and_then(|it| it.split(':').next()).map(str::to_owned)
}
