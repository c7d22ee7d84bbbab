//! The programs that the documentation shows.

use std::process::Command;

use super::{Place, sandbox::Sandbox, told};
use crate::{Done, steps::Steps};

/// Who runs which.
const EXAMPLES: &[(&str, &str)] =
    &[("node", "docs/examples/node/sale.mjs"), ("python3", "docs/examples/python/sale.py")];

pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    for (program, file) in EXAMPLES {
        let mut run = Command::new(program);
        run.arg(file).current_dir(&place.root);
        steps.run(told(run, sandbox))?;
    }
    Ok(())
}

/// Every published code is met as the documentation of the sandbox says.
pub(super) fn meet_codes(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    let mut run = Command::new("python3");
    run.arg(place.fixture("sandbox/codes.py")).current_dir(&place.root);
    steps.run(told(run, sandbox))
}
