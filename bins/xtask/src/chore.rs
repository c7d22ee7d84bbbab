//! The result of a chore, and what chores share: paths, and fields of JSON lines.

use std::{env, error::Error, path::PathBuf};

/// Result of a chore. The error is a sentence for the person at the terminal.
pub(crate) type Done<T = ()> = Result<T, Box<dyn Error>>;

/// Returns the workspace that cargo started this program for. Two workspaces with a common target folder share the
/// program, so the folder of its build does not count.
pub(crate) fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("../..")
}

/// Returns a file of the release build.
pub(crate) fn released(path: &str) -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |it| root().join(it));
    target.join("release").join(path)
}

/// Returns the first text of that name in an object; empty if there is none.
pub(crate) fn field<'a>(json: &'a str, name: &str) -> &'a str {
    let after = json.split_once(&format!("\"{name}\":\"")).map_or("", |(_, rest)| rest);
    after.split('"').next().unwrap_or_default()
}
