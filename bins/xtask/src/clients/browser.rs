//! Payers in a real browser.

use std::{fs, process::Command, time::Duration};

use super::{Place, sandbox::Sandbox, told, tools};
use crate::{Done, steps::Steps};

/// It takes half a minute of work; a machine that has other things to do may take longer.
const MOST: Duration = Duration::from_secs(180);
/// What runs there.
const PROGRAMS: &[&str] = &["pay.mjs", "shop.mjs", "shots.mjs"];

/// Every fact about payers holds.
pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    steps.run_within(MOST, told(program(place, "pay.mjs")?, sandbox))
}

/// Takes a picture of what payers see in every state.
pub(super) fn shoot(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    let mut run = program(place, "shots.mjs")?;
    run.env("COBRO_PICTURES", place.folder.join("screenshots"));
    steps.run(told(run, sandbox))
}

/// Node looks for libraries beside a program, so the programs are put beside the libraries.
fn program(place: &Place, name: &str) -> Done<Command> {
    let folder = tools::folder(place, "browser");
    for file in PROGRAMS {
        fs::copy(place.fixture("browser").join(file), folder.join(file))?;
    }
    let mut run = Command::new("node");
    run.arg(name).current_dir(&folder);
    Ok(run)
}
