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

use std::path::Path;

use self::{place::Place, sandbox::Sandbox};
use crate::{chore::Done, steps::Steps};

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
    // Programs that count objects come first: the contract leaves objects behind.
    let sandbox = Sandbox::start(&place)?;
    let told = ask(steps, &place, &sandbox, &python)
        .and_then(|()| generators::check(steps, &place, &sandbox, &generating))
        .and_then(|()| contract::check(steps, &place, &sandbox, &python));
    sandbox.unless(told)?;
    // A separate sandbox, because the clock of this one moves by years.
    let sandbox = Sandbox::start(&place)?;
    let held = examples::hold(steps, &place, &sandbox);
    sandbox.unless(held)
}

/// Writes pictures of all states of the checkout to a folder below the target folder.
pub(crate) fn screenshots(steps: &mut Steps) -> Done {
    let place = Place::find()?;
    tools::node(steps, &place, "browser")?;
    let sandbox = Sandbox::start(&place)?;
    let shot = browser::shoot(steps, &place, &sandbox);
    sandbox.unless(shot)
}

/// Measures the payment page of the server at `url` in a browser: size, layout shifts and speed.
pub(crate) fn measure_page(url: &str, key: &str) -> Done<String> {
    let place = Place::find()?;
    tools::node(&mut Steps::begin("bench"), &place, "browser")?;
    browser::measure(&place, url, key)
}

fn ask(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path) -> Done {
    typescript::check(steps, place, sandbox)?;
    examples::check(steps, place, sandbox)?;
    webhooks::check(steps, place, sandbox, python)?;
    browser::check(steps, place, sandbox)
}
