//! The interface as its clients meet it: a sandbox is started, and asked by tools and programs that are not ours.

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
    // Those who count what is there come first: the cases of the contract leave things behind.
    let sandbox = Sandbox::start(&place)?;
    let told = ask(steps, &place, &sandbox, &python)
        .and_then(|()| generators::check(steps, &place, &sandbox, &generating))
        .and_then(|()| contract::check(steps, &place, &sandbox, &python));
    sandbox.unless(told)?;
    // The clock of this sandbox moves by years, so no other test uses it.
    let sandbox = Sandbox::start(&place)?;
    let held = examples::hold(steps, &place, &sandbox);
    sandbox.unless(held)
}

/// Pictures of what payers see in every state, in a folder below the target folder.
pub(crate) fn screenshots(steps: &mut Steps) -> Done {
    let place = Place::find()?;
    tools::node(steps, &place, "browser")?;
    let sandbox = Sandbox::start(&place)?;
    let shot = browser::shoot(steps, &place, &sandbox);
    sandbox.unless(shot)
}

/// What the payment page of the server at `url` is like in a browser: its weight, its peace and its pace.
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
