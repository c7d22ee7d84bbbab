//! The project's chores, as `cargo xtask <command>`. `test` is the whole check.
//!
//! Depends on the standard library alone, so that a fresh machine builds it in a second.

mod bench;
mod chore;
mod clients;
mod commands;
mod commits;
mod needs;
mod postgres;
mod progress;
mod schemas;
mod steps;

use std::{env, process::ExitCode};

use crate::{chore::Done, postgres::Server, steps::Steps};

const USAGE: &str = "\
usage: cargo xtask <command>

  test              format, lints, every test and the documentation; installs missing programs where it may
  ci                the same, for machines
  clients           the contract case by case, generated clients, the example programs, a browser
  screenshots       pictures of the checkout in every state, in a folder
  update [NAME...]  runs the tests (whose names contain NAME) and rewrites generated pages and golden files
  commits [BASE]    checks the subjects of the commits since BASE, or since the newest release
  commits --install makes git check each commit message
  ecf-tables [--compare] [FOLDER]
                    writes fixtures/schemas from the tax authority's XSD files in FOLDER (or ECF_SCHEMA_DIR);
                    --compare changes nothing and fails if these files have other elements, facets or verdicts
  bench [--quick] [--built] [PART...]
                    measures the server against its database in one run; --quick only checks that the bench works;
                    --built uses programs that are built already. Parts: sales, scale, steady, rates, documents, webhooks,
                    register, page, costs, cards
  bench --profile   records the server during whole sales with perf and writes docs/generated/whole-sale.svg
  postgres          a throwaway PostgreSQL for experiments, until Ctrl-C
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["test" | "ci"] => test(),
        ["clients"] => with_product("clients", clients::check),
        ["screenshots"] => with_product("screenshots", clients::screenshots),
        ["update", names @ ..] => update(names),
        ["commits"] => commits::check(None),
        ["commits", "--install"] => commits::install_hook(),
        ["commits", "--message", file] => commits::check_message(file),
        ["commits", base] => commits::check(Some(base)),
        ["ecf-tables"] => schemas::run("write", None),
        ["ecf-tables", "--compare"] => schemas::run("compare", None),
        ["ecf-tables", "--compare", folder] => schemas::run("compare", Some(folder)),
        ["ecf-tables", folder] => schemas::run("write", Some(folder)),
        ["bench", words @ ..] => match bench::Plan::parse(words) {
            Some(plan) => bench::run(&plan),
            None => return usage(),
        },
        ["postgres"] => postgres(),
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nxtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(2)
}

/// Runs the whole check, cheapest step first, until a step fails.
fn test() -> Done {
    needs::install()?;
    let mut steps = Steps::begin("test");
    let done = check(&mut steps);

    steps.report(&done);
    done
}

fn check(steps: &mut Steps) -> Done {
    steps.run(commands::format())?;
    steps.run(commands::lints())?;
    let server = Server::start()?;
    steps.run(commands::tests(&server, &[]))?;
    steps.run(commands::tests_elsewhere(&server))?;
    drop(server);
    schemas::compare_if_set(steps)?;
    steps.run(commands::examples())?;
    steps.run_beside([commands::documentation()], clients::check)
}

/// Builds the product and runs `chore` with it.
fn with_product(name: &str, chore: impl FnOnce(&mut Steps) -> Done) -> Done {
    needs::install()?;
    let mut steps = Steps::begin(name);
    let done = steps.run(commands::product()).and_then(|()| chore(&mut steps));

    steps.report(&done);
    done
}

/// Rewrites the pages and golden files that tests compare.
fn update(names: &[&str]) -> Done {
    needs::install()?;
    let server = Server::start()?;
    let mut tests = commands::tests(&server, names);
    tests.env("UPDATE", "1");
    Steps::begin("update").run(tests)
}

/// Prints the URL of a new server as the only line on stdout, for scripts.
fn postgres() -> Done {
    let server = Server::start()?;
    println!("{}", server.url());
    eprintln!("Ctrl-C stops it and removes its data.");
    server.wait()
}
