//! The tables of the tax authority's schemas, and the official files, which are not part of the project.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
};

use crate::{chore::Done, commands, steps::Steps};

/// Environment variable that names the folder of the official files.
const VARIABLE: &str = "ECF_SCHEMA_DIR";

/// Writes or compares the tables with the official files in `folder`.
pub(crate) fn run(verb: &str, folder: Option<&str>) -> Done {
    let folder = folder.map(OsString::from).or_else(|| env::var_os(VARIABLE)).unwrap_or_default();
    run_with(&mut Steps::begin("ecf-tables"), verb, &folder)
}

/// Compares the tables with the official files, if the environment names their folder.
pub(crate) fn compare_if_set(steps: &mut Steps) -> Done {
    env::var_os(VARIABLE).map_or(Ok(()), |folder| run_with(steps, "compare", &folder))
}

fn run_with(steps: &mut Steps, verb: &str, folder: &OsStr) -> Done {
    // Cargo runs in the workspace root, where a relative path would name another folder.
    let folder = fs::canonicalize(folder)
        .map_err(|error| format!("name the folder of the official XSD files: {} ({error})", folder.display()))?;
    steps.run(commands::ecf_tables(verb, &folder))
}
