//! TypeScript client with types from the OpenAPI document: compiles and runs.

use std::{fs, process::Command};

use super::{
    place::Place,
    sandbox::{Sandbox, told},
    tools,
};
use crate::{chore::Done, steps::Steps};

pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    let folder = tools::folder(place, "typescript");
    for name in ["tsconfig.json", "use.ts"] {
        fs::copy(place.fixture("typescript").join(name), folder.join(name))?;
    }
    let mut generate = Command::new("node");
    generate.arg("node_modules/openapi-typescript/bin/cli.js");
    generate.arg(place.document()).args(["--output", "openapi.ts"]);
    steps.run(within(generate, &folder))?;

    let mut compile = Command::new("node");
    compile.args(["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"]);
    steps.run(within(compile, &folder))?;

    let mut run = Command::new("node");
    run.arg("built/use.js");
    steps.run(told(within(run, &folder), sandbox))
}

fn within(mut command: Command, folder: &std::path::Path) -> Command {
    command.current_dir(folder);
    command
}
