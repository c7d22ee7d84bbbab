//! The result of a chore and the root of the workspace.

use std::{env, error::Error, path::PathBuf};

/// Result of a chore. The error is a sentence for the person at the terminal.
pub(crate) type Done<T = ()> = Result<T, Box<dyn Error>>;

/// Returns the workspace that cargo started this program for. Two workspaces with a common target folder share the
/// program, so the folder of its build does not count.
pub(crate) fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("../..")
}
