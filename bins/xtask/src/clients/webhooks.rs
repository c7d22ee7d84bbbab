//! Signed events, verified by the libraries of Standard Webhooks: the programs that the documentation shows.

use std::{path::Path, process::Command};

use super::{
    place::Place,
    sandbox::{Sandbox, with_variables},
    tools,
};
use crate::{chore::Done, steps::Steps};

pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path) -> Done {
    let folder = tools::folder(place, "typescript");
    tools::copy(&place.root.join("docs/examples/node"), &["cobro.mjs", "webhooks.mjs"], &folder)?;
    steps.run(with_variables(tools::program(&folder, "webhooks.mjs"), sandbox))?;

    let mut run = Command::new(python);
    run.arg("docs/examples/python/webhooks.py").current_dir(&place.root);
    steps.run(with_variables(run, sandbox))?;

    steps.run(with_variables(Command::new(&place.receiver), sandbox))
}
