//! TypeScript client with types from the OpenAPI document: compiles and runs.

use super::{place::Place, sandbox::Sandbox, tools};
use crate::{chore::Done, steps::Steps};

pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox) -> Done {
    let folder = tools::folder(place, "typescript");
    tools::copy(&place.fixture("typescript"), &["tsconfig.json", "use.ts"], &folder)?;
    let mut generate = tools::program(&folder, "node_modules/openapi-typescript/bin/cli.js");
    generate.arg(place.document()).args(["--output", "openapi.ts"]);
    steps.run(generate)?;
    tools::use_typescript(steps, &folder, sandbox)
}
