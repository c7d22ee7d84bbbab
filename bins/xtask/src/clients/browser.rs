//! Payers in a real browser.

use std::{
    fs,
    process::{Command, Stdio},
    time::Duration,
};

use super::{
    place::Place,
    sandbox::{Sandbox, told},
    tools,
};
use crate::{chore::Done, steps::Steps};

/// Each takes half a minute of work; a machine that has other things to do may take longer.
const MOST: Duration = Duration::from_secs(180);
/// Programs that run in the browser, and the table that one of them reads.
const FILES: &[&str] = &["budget.mjs", "expiries.tsv", "pay.mjs", "shop.mjs", "shots.mjs", "split.mjs"];

/// Every fact about payers holds.
pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    for name in ["pay.mjs", "split.mjs"] {
        let mut run = program(place, name)?;
        run.env("COBRO_INVENTORY", place.root.join("docs/generated/payment-page.md"));
        steps.run_within(MOST, told(run, sandbox))?;
    }
    Ok(())
}

/// Takes pictures of all states of the checkout.
pub(super) fn shoot(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    let mut run = program(place, "shots.mjs")?;
    run.env("COBRO_PICTURES", place.folder.join("screenshots"));
    steps.run(told(run, sandbox))
}

/// Measures the payment page of the server at `url` in a browser.
pub(super) fn measure(place: &Place, url: &str, key: &str) -> Done<String> {
    let mut run = program(place, "budget.mjs")?;
    let output = run.env("COBRO_URL", url).env("COBRO_KEY", key).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the page was not measured in a browser".into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Node looks for libraries beside a program, so the programs are put beside the libraries.
fn program(place: &Place, name: &str) -> Done<Command> {
    let folder = tools::folder(place, "browser");
    for file in FILES {
        fs::copy(place.fixture("browser").join(file), folder.join(file))?;
    }
    let mut run = Command::new("node");
    run.arg(name).current_dir(&folder);
    Ok(run)
}
