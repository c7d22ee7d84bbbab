//! The commands of the check, of updates and of measurements.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

use crate::{chore::root, postgres::Server, steps::succeeds};

/// Checks the format.
pub(crate) fn format() -> Command {
    cargo(&["fmt", "--all", "--check"])
}

/// Checks the lints.
pub(crate) fn lints() -> Command {
    cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
}

/// Runs the tests whose name contains one of `names`, or every test if there are no names. Uses nextest where
/// installed, which is faster.
pub(crate) fn tests(server: &Server, names: &[&str]) -> Command {
    let has_nextest = succeeds(cargo(&["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()));
    let mut command = if has_nextest {
        cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
    } else {
        cargo(&["test", "--workspace", "--locked", "--lib", "--bins", "--tests", "--no-fail-fast"])
    };
    if !names.is_empty() {
        command.arg("--").args(names);
    }
    // Stale generated pages must fail, also where the caller sets UPDATE.
    command.env_remove("UPDATE").env("TEST_DATABASE_URL", server.url());
    command
}

/// Names of the tests that depend on the date or the hour.
const DATED: &[&str] =
    &["header::", "vectors::", "rules::", "number::", "receipts::", "facts::", "documents::", "authority_refusals::"];

/// Runs the tests of dates in a time zone that is a day ahead of Santo Domingo.
pub(crate) fn tests_elsewhere(server: &Server) -> Command {
    let mut command = tests(server, DATED);
    command.env("TZ", "Asia/Tokyo");
    command
}

/// Writes the tables of the tax authority's schemas, or compares them, with the official files in `folder`.
pub(crate) fn ecf_tables(verb: &str, folder: &Path) -> Command {
    let mut command = cargo(&["run", "--locked", "--package", "ecf-schemas", "--example", "ecf-tables", "--", verb]);
    command.arg(folder);
    command
}

/// Runs the examples in the documentation. `--workspace`, although only `domain` has any: with other features cargo
/// would build the dependencies again.
pub(crate) fn examples() -> Command {
    cargo(&["test", "--doc", "--workspace", "--locked"])
}

/// Builds the binary and the example programs with the features that the tests use.
pub(crate) fn product() -> Command {
    cargo(&["build", "--workspace", "--bins", "--examples", "--tests", "--locked"])
}

/// Builds the documentation.
pub(crate) fn documentation() -> Command {
    let mut command = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// Builds the released program.
pub(crate) fn release() -> Command {
    cargo(&["build", "--release", "--locked", "--package", "cobro"])
}

/// Builds the released program with the names of its functions. Only its last crate is built again.
pub(crate) fn release_with_symbols() -> Command {
    cargo(&["rustc", "--release", "--locked", "--package", "cobro", "--bin", "cobro", "--", "-C", "strip=none"])
}

/// Builds the load generators of the bench in release mode.
pub(crate) fn measured() -> Command {
    let packages = ["--package", "azul", "--example", "load", "--package", "pdf", "--example", "documents"];
    cargo(&[&["build", "--release", "--locked"], packages.as_slice()].concat())
}

/// The cargo that started this program, at the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}
