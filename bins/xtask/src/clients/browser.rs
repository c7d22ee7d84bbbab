//! Payers in a real browser.

use std::process::Command;

use super::{
    place::Place,
    sandbox::{Sandbox, with_variables},
    tools,
};
use crate::{
    chore::Done,
    steps::{Steps, output},
};

/// Programs that run in the browser, and the table that one of them reads.
const FILES: &[&str] = &["budget.mjs", "expiries.tsv", "pay.mjs", "refunds.mjs", "shop.mjs", "shots.mjs", "split.mjs"];

/// Returns the program `name`, which checks pages as a payer in a browser.
pub(super) fn check(place: &Place, name: &str, sandbox: &Sandbox) -> Done<Command> {
    let mut run = program(place, name)?;
    run.env("COBRO_INVENTORY", place.root.join("docs/generated/payment-page.md"));
    Ok(with_variables(run, sandbox))
}

/// Takes pictures of all states of the checkout.
pub(super) fn shoot(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    let mut run = program(place, "shots.mjs")?;
    run.env("COBRO_PICTURES", place.folder.join("screenshots"));
    steps.run(with_variables(run, sandbox))
}

/// Measures the payment page of the server at `url` in a browser.
pub(super) fn measure(place: &Place, url: &str, key: &str) -> Done<String> {
    let mut run = program(place, "budget.mjs")?;
    output("the page was not measured in a browser", run.env("COBRO_URL", url).env("COBRO_KEY", key))
}

fn program(place: &Place, name: &str) -> Done<Command> {
    let folder = tools::folder(place, "browser");
    tools::copy(&place.fixture("browser"), FILES, &folder)?;
    Ok(tools::program(&folder, name))
}
