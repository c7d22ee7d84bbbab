//! Checks the server against the OpenAPI document with schemathesis.

use std::{collections::BTreeMap, fs, path::Path, process::Command, time::Duration};

use super::{
    place::Place,
    sandbox::{Sandbox, told},
};
use crate::{chore::Done, steps::Steps};

/// Timeout. The checks take a minute of processor time; the search for an impossible value would take
/// hours.
const MOST: Duration = Duration::from_secs(600);

pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path) -> Done {
    let document = fs::read_to_string(place.document())?;
    let asked = fs::read_to_string(place.fixture("schemathesis/operations.txt"))?;
    let asked: Vec<&str> = asked.lines().collect();
    let reached = place.folder.join("reached");
    if reached.exists() {
        fs::remove_file(&reached)?;
    }
    let mut run = Command::new(python);
    run.args(["-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "--no-color", "run"]);
    run.arg(format!("{}/openapi.json", sandbox.field("baseUrl"))).args(["--checks", "all"]);
    for name in &asked {
        run.args(["--include-operation-id", name]);
    }
    let fixtures = place.fixture("schemathesis");
    run.env("COBRO_REACHED", &reached).env("PYTHONPATH", &fixtures).current_dir(&fixtures);
    // Otherwise the engine would store examples beside the fixtures.
    run.env("HYPOTHESIS_STORAGE_DIRECTORY", place.folder.join("hypothesis"));
    steps.run_within(MOST, told(run, sandbox))?;

    judge(&operations(&document), &asked, &counts(&fs::read_to_string(&reached)?))
}

/// Prints the number of 2xx responses of each operation. An operation without any was not tested, whichever checks passed.
fn judge(operations: &[&str], asked: &[&str], counts: &BTreeMap<&str, u64>) -> Done {
    let count = |name: &str| counts.get(name).copied().unwrap_or_default();
    eprintln!("\n2xx answers of each operation:");
    for name in asked {
        eprintln!("{:>9}  {name}", count(name));
    }
    let left_out: Vec<&str> = operations.iter().copied().filter(|name| !asked.contains(name)).collect();
    if !left_out.is_empty() {
        let what = "teach hooks.py what they take, and add them to fixtures/schemathesis/operations.txt";
        return Err(format!("not asked: {}; {what}", left_out.join(", ")).into());
    }
    let never: Vec<&str> = asked.iter().copied().filter(|name| count(name) == 0).collect();
    if never.is_empty() { Ok(()) } else { Err(format!("never answered 2xx: {}", never.join(", ")).into()) }
}

/// Every `operationId` that is served. Webhooks follow at the end of the document.
fn operations(document: &str) -> Vec<&str> {
    let served = document.split("\n  \"webhooks\":").next().unwrap_or_default();
    served.split("\"operationId\": \"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// `createPayment 12` on a line.
fn counts(text: &str) -> BTreeMap<&str, u64> {
    text.lines().filter_map(|line| line.split_once(' ')).filter_map(|(name, n)| Some((name, n.parse().ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_without_a_2xx_response_is_named() {
        let document = r#"{"get": {"operationId": "getThis"}, "post": {"operationId": "makeThat"}}"#;
        let operations = operations(document);

        let judge = |asked: &[&str], text: &str| judge(&operations, asked, &counts(text));

        let both = judge(&operations, "getThis 3\nmakeThat 1\n");
        let one = judge(&operations, "getThis 3\nmakeThat 0\n");
        let none = judge(&operations, "");
        let not_asked = judge(&["getThis"], "getThis 3\n");

        assert!(both.is_ok());
        assert_eq!(one.unwrap_err().to_string(), "never answered 2xx: makeThat");
        assert_eq!(none.unwrap_err().to_string(), "never answered 2xx: getThis, makeThat");
        assert!(not_asked.unwrap_err().to_string().starts_with("not asked: makeThat; "));
    }
}
