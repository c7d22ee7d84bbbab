//! The project's chores, as `cargo xtask <command>`. `test` is the whole check.
//!
//! Nothing here but the standard library, so that it builds in a second on a fresh machine.

mod bench;
mod clients;
mod needs;
mod postgres;
mod schemas;
mod steps;

use std::{env, error::Error, path::PathBuf, process::ExitCode};

use crate::{postgres::Server, steps::Steps};

/// What every chore returns: a failure is a sentence for the person who typed the command.
type Done<T = ()> = Result<T, Box<dyn Error>>;

const USAGE: &str = "\
usage: cargo xtask <command>

  test              format, lints, every test and the documentation; installs what they need where it may
  ci                the same, for machines
  clients           what a client relies on: the contract case by case, generated types, the examples
  screenshots       what a payer sees in every state, as pictures in a folder
  update [NAME...]  runs the tests (whose names contain NAME) and lets them rewrite the pages they print
  ecf-tables [--compare] [FOLDER]
                    writes fixtures/schemas from the tax authority's XSD files in FOLDER (or ECF_SCHEMA_DIR);
                    --compare changes nothing: it fails if these files have other elements, facets or verdicts
  bench [--quick]   measures the server against its database, both in one run; --quick shows only that all of it works
  postgres          a throwaway PostgreSQL for your own experiments, until Ctrl-C
";

/// The folder of the workspace that cargo has started this for: two copies of it that share one target folder may share
/// this program as well, so where it was built says nothing.
fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("../..")
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["test" | "ci"] => test(),
        ["clients"] => on_the_product(clients::check),
        ["screenshots"] => on_the_product(clients::screenshots),
        ["update", names @ ..] => update(names),
        ["ecf-tables"] => schemas::run("write", None),
        ["ecf-tables", "--compare"] => schemas::run("compare", None),
        ["ecf-tables", "--compare", folder] => schemas::run("compare", Some(folder)),
        ["ecf-tables", folder] => schemas::run("write", Some(folder)),
        ["bench"] => bench::run(bench::Size::FULL),
        ["bench", "--quick"] => bench::run(bench::Size::QUICK),
        ["postgres"] => postgres(),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nxtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The whole check, cheapest step first; the first step that fails ends it.
fn test() -> Done {
    needs::meet()?;
    let mut steps = Steps::begin();
    let done = check(&mut steps);

    steps.report();
    done
}

fn check(steps: &mut Steps) -> Done {
    steps.run(steps::format())?;
    steps.run(steps::lints())?;
    let server = Server::start()?;
    steps.run(steps::tests(&server, &[]))?;
    steps.run(steps::tests_elsewhere(&server))?;
    drop(server);
    schemas::compare_if_given(steps)?;
    steps.run(steps::examples())?;
    steps.run_beside(steps::documentation(), clients::check)
}

/// Something alone that is asked of the product as it is built.
fn on_the_product(ask: impl FnOnce(&mut Steps) -> Done) -> Done {
    needs::meet()?;
    let mut steps = Steps::begin();
    let done = steps.run(steps::product()).and_then(|()| ask(&mut steps));

    steps.report();
    done
}

/// Pages and exchanges are printed by tests, so the tests rewrite them.
fn update(names: &[&str]) -> Done {
    needs::meet()?;
    let server = Server::start()?;
    let mut tests = steps::tests(&server, names);
    tests.env("UPDATE", "1");
    Steps::begin().run(tests)
}

/// Its address is the only line on stdout, so that a script can read it.
fn postgres() -> Done {
    let server = Server::start()?;
    println!("{}", server.url());
    eprintln!("Ctrl-C stops it and removes its data.");
    server.wait()
}
