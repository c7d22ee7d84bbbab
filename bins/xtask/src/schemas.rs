//! The tables of the tax authority's schemas, and the official files that the project does not contain.

use std::{env, ffi::OsString, fs};

use crate::{Done, steps, steps::Steps};

/// Names the folder of the official files.
const VARIABLE: &str = "ECF_SCHEMA_DIR";

/// Writes or compares the tables, by the files in `folder`.
pub(crate) fn run(verb: &str, folder: Option<&str>) -> Done {
    let folder = folder.map(OsString::from).or_else(|| env::var_os(VARIABLE)).unwrap_or_default();
    // Cargo runs at the root of the workspace, where a relative path would be another folder.
    let folder = fs::canonicalize(&folder)
        .map_err(|error| format!("name the folder of the official XSD files: {} ({error})", folder.display()))?;
    Steps::begin().run(steps::ecf_tables(verb, &folder))
}
