//! Checks of the API with foreign tools and programs against a sandbox.

mod browser;
mod contract;
mod examples;
mod generators;
mod place;
mod sandbox;
mod tools;
mod typescript;
mod webhooks;

use std::{path::Path, time::Duration};

use self::{place::Place, sandbox::Sandbox};
use crate::{
    chore::Done,
    steps::{Steps, with_timeout},
};

/// Timeout of the payers in a browser, who need a minute and a half.
const PAYERS_TIMEOUT: Duration = Duration::from_secs(400);

/// Timeout of the contract, which takes two minutes; the search for an impossible value would take hours.
const CONTRACT_TIMEOUT: Duration = Duration::from_secs(600);

/// Runs programs on generated types and clients, the example programs of the documentation, payers in a browser, and
/// every case of the contract. The tools are installed below the target folder.
pub(crate) fn check(steps: &mut Steps) -> Done {
    let place = Place::find()?;
    tools::node(steps, &place, "typescript")?;
    tools::node(steps, &place, "browser")?;
    tools::node(steps, &place, "generators")?;
    let python = tools::python(steps, &place, "schemathesis")?;
    let generating = tools::python(steps, &place, "generators")?;
    generators::lint(steps, &place)?;
    // Each group has its own sandbox: some programs advance the clock, and some count objects.
    let [programs, split, contract, codes] =
        ["programs", "split", "contract", "codes"].map(|name| Sandbox::start(&place, name));
    let (programs, split, contract, codes) = (programs?, split?, contract?, codes?);
    let slow = [
        with_timeout(CONTRACT_TIMEOUT, &contract::command(&place, &contract, &python)?),
        with_timeout(PAYERS_TIMEOUT, &browser::check(&place, "split.mjs", &split)?),
    ];
    let checked = steps.run_beside(slow, |steps| {
        run_programs(steps, &place, &programs, &python)?;
        generators::check(steps, &place, &programs, &generating)?;
        examples::check_document(steps, &place, &codes)
    });
    checked.map_err(|failure| format!("{failure}; the sandboxes wrote {}/*.log", place.folder.display()))?;
    contract::check_counts(&place)
}

/// Writes pictures of all states of the checkout to a folder below the target folder.
pub(crate) fn screenshots(steps: &mut Steps) -> Done {
    let place = Place::find()?;
    tools::node(steps, &place, "browser")?;
    browser::shoot(steps, &place, &Sandbox::start(&place, "screenshots")?)
}

/// Measures the payment page of the server at `url` in a browser: size, layout shifts and speed.
pub(crate) fn measure_page(url: &str, key: &str) -> Done<String> {
    let place = Place::find()?;
    tools::node(&mut Steps::begin("bench"), &place, "browser")?;
    browser::measure(&place, url, key)
}

fn run_programs(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path) -> Done {
    typescript::check(steps, place, sandbox)?;
    examples::check(steps, place, sandbox)?;
    webhooks::check(steps, place, sandbox, python)?;
    steps.run_within(PAYERS_TIMEOUT, browser::check(place, "pay.mjs", sandbox)?)?;
    steps.run_within(PAYERS_TIMEOUT, browser::check(place, "refunds.mjs", sandbox)?)
}
