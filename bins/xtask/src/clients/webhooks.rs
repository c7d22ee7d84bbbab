//! Signed events, verified by the libraries of Standard Webhooks: the programs that the documentation shows.

use std::{fs, path::Path, process::Command};

use super::{
    place::Place,
    sandbox::{Sandbox, told},
    tools,
};
use crate::{chore::Done, steps::Steps};

pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path) -> Done {
    // Node looks for libraries beside a program, so the program is put beside the library.
    let folder = tools::folder(place, "typescript");
    for name in ["cobro.mjs", "webhooks.mjs"] {
        fs::copy(place.root.join("docs/examples/node").join(name), folder.join(name))?;
    }
    let mut node = Command::new("node");
    node.arg("webhooks.mjs").current_dir(&folder);
    steps.run(told(node, sandbox))?;

    let mut run = Command::new(python);
    run.arg("docs/examples/python/webhooks.py").current_dir(&place.root);
    steps.run(told(run, sandbox))?;

    steps.run(told(Command::new(&place.receiver), sandbox))
}
