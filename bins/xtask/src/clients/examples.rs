//! Programs that the documentation shows, and examples and codes of the document.

use std::process::Command;

use super::{
    place::Place,
    sandbox::{Sandbox, with_variables},
};
use crate::{chore::Done, steps::Steps};

/// Interpreter and file of each program.
const EXAMPLES: &[(&str, &str)] =
    &[("node", "docs/examples/node/sale.mjs"), ("python3", "docs/examples/python/sale.py")];

pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    for (program, file) in EXAMPLES {
        let mut run = Command::new(program);
        run.arg(file).current_dir(&place.root);
        steps.run(with_variables(run, sandbox))?;
    }
    Ok(())
}

/// Checks that the document's examples are accepted, and that the steps in docs/SANDBOX.md cause every published code.
pub(super) fn check_document(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    for file in ["sandbox/requests.py", "sandbox/codes.py"] {
        let mut run = Command::new("python3");
        run.arg(place.fixture(file)).current_dir(&place.root);
        steps.run(with_variables(run, sandbox))?;
    }
    Ok(())
}
