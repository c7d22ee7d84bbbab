//! Checks the server against the OpenAPI document with schemathesis.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    place::Place,
    sandbox::{Sandbox, with_variables},
};
use crate::chore::Done;

/// Returns the command that sends requests to each operation, and counts the responses in [`reached`].
pub(super) fn command(place: &Place, sandbox: &Sandbox, python: &Path) -> Done<Command> {
    let reached = reached(place);
    if reached.exists() {
        fs::remove_file(&reached)?;
    }
    let mut run = Command::new(python);
    run.args(["-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "--no-color", "run"]);
    run.arg(format!("{}/openapi.json", sandbox.field("baseUrl"))).args(["--checks", "all"]);
    for name in tested(place)?.lines() {
        run.args(["--include-operation-id", name]);
    }
    let fixtures = place.fixture("schemathesis");
    run.env("COBRO_REACHED", &reached).env("PYTHONPATH", &fixtures).current_dir(&fixtures);
    // Otherwise the engine would store examples beside the fixtures.
    run.env("HYPOTHESIS_STORAGE_DIRECTORY", place.folder.join("hypothesis"));
    Ok(with_variables(run, sandbox))
}

/// Checks that each operation of the document was tested.
pub(super) fn check_counts(place: &Place) -> Done {
    let (document, tested) = (fs::read_to_string(place.document())?, tested(place)?);
    let counted = fs::read_to_string(reached(place))?;
    check_tested(&operations(&document), &tested.lines().collect::<Vec<_>>(), &counts(&counted))
}

/// Names of the operations to test, a line each.
fn tested(place: &Place) -> Done<String> {
    Ok(fs::read_to_string(place.fixture("schemathesis/operations.txt"))?)
}

/// File with the number of 2xx responses of each operation.
fn reached(place: &Place) -> PathBuf {
    place.folder.join("reached")
}

/// Prints the number of 2xx responses of each operation. An operation without any was not tested, whichever checks passed.
fn check_tested(operations: &[&str], tested: &[&str], counts: &BTreeMap<&str, u64>) -> Done {
    let count = |name: &str| counts.get(name).copied().unwrap_or_default();
    eprintln!("\n2xx responses of each operation:");
    for name in tested {
        eprintln!("{:>9}  {name}", count(name));
    }
    let left_out: Vec<&str> = operations.iter().copied().filter(|name| !tested.contains(name)).collect();
    if !left_out.is_empty() {
        let hint = "add resources for them to fixtures/schemathesis/hooks.py, and add them to fixtures/schemathesis/operations.txt";
        return Err(format!("not tested: {}; {hint}", left_out.join(", ")).into());
    }
    let never: Vec<&str> = tested.iter().copied().filter(|name| count(name) == 0).collect();
    if never.is_empty() { Ok(()) } else { Err(format!("never responded 2xx: {}", never.join(", ")).into()) }
}

/// Returns each `operationId` that is served. Webhooks follow at the end of the document.
fn operations(document: &str) -> Vec<&str> {
    let served = document.split("\n  \"webhooks\":").next().unwrap_or_default();
    served.split("\"operationId\": \"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Parses lines such as `createPayment 12`.
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

        let check = |tested: &[&str], text: &str| check_tested(&operations, tested, &counts(text));

        let both = check(&operations, "getThis 3\nmakeThat 1\n");
        let one = check(&operations, "getThis 3\nmakeThat 0\n");
        let none = check(&operations, "");
        let one_left_out = check(&["getThis"], "getThis 3\n");

        assert!(both.is_ok());
        assert_eq!(one.unwrap_err().to_string(), "never responded 2xx: makeThat");
        assert_eq!(none.unwrap_err().to_string(), "never responded 2xx: getThis, makeThat");
        assert!(one_left_out.unwrap_err().to_string().starts_with("not tested: makeThat; "));
    }
}
