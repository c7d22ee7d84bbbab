//! The tax authority's official schemas, which are not ours to ship: some tests need them, and say so by their names.

use std::{env, ffi::OsStr, fs, path::PathBuf, process::Stdio};

use crate::{Done, steps};

/// The folder of the schemas; signed vectors stand in `vectors` beside it.
const VARIABLE: &str = "ECF_SCHEMA_DIR";

/// A test whose name contains one of these reads that folder.
const NAMES: &[&str] = &["official_schema", "vectors"];

/// Where the official schemas are, if anywhere.
pub(crate) enum Schemas {
    /// Every test can run.
    At(PathBuf),
    /// The tests that need them are left out, and the run says so at its start and its end.
    Absent,
}

impl Schemas {
    /// Reads the environment; a folder that is named but not there is a mistake, not an absence.
    pub(crate) fn find() -> Done<Self> {
        let Some(folder) = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
            return Ok(Self::Absent);
        };
        // Each test runs in the folder of its crate, where a relative path would mean another place.
        match fs::canonicalize(&folder) {
            Ok(folder) if folder.is_dir() => Ok(Self::At(folder)),
            _ => Err(format!("{VARIABLE} names no folder: {}", folder.display()).into()),
        }
    }

    /// What the tests are told.
    pub(crate) fn variable(&self) -> Option<(&'static str, &OsStr)> {
        match self {
            Self::At(folder) => Some((VARIABLE, folder.as_os_str())),
            Self::Absent => None,
        }
    }

    /// The tests that cannot run.
    pub(crate) fn left_out(&self) -> &'static [&'static str] {
        match self {
            Self::At(_) => &[],
            Self::Absent => NAMES,
        }
    }

    /// Impossible to overlook, so that nobody takes a smaller run for the whole one.
    pub(crate) fn warn(&self) {
        if let Self::Absent = self {
            let line = "!".repeat(100);
            eprintln!(
                "\n{line}\n{VARIABLE} is not set. NOT TESTED: documents against the official schemas and vectors,"
            );
            eprintln!("that is, every test whose name contains {}.", NAMES.join(" or "));
            eprintln!("Set it to the folder that holds the tax authority's .xsd files to run them.\n{line}");
        }
    }

    /// The tests themselves, one by one. A list that cannot be made is no failure: the warning stands without it.
    pub(crate) fn name_what_is_left_out(&self) {
        if let Self::Absent = self
            && let Ok(list) = steps::list(NAMES).stderr(Stdio::null()).output()
        {
            eprintln!("\n== left out, for want of {VARIABLE}\n{}", String::from_utf8_lossy(&list.stdout));
        }
    }
}
