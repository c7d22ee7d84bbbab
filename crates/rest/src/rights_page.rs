//! Page of rights, `docs/generated/rights.md`.

use std::{env, fs, path::Path};

use domain::rights::{Credential, KeyCondition, Right, RightGrant};

use crate::operations;

#[test]
fn the_page_of_rights_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/rights.md");
    let page = page();
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "docs/generated/rights.md is stale: run with UPDATE=1");
}

#[test]
fn every_right_has_an_operation() {
    for right in Right::ALL {
        assert!(operations::all().any(|(_, operation)| operation.right == *right), "{right:?}");
    }
}

fn page() -> String {
    let header = "# Rights\n\n\
                  Rights of credentials, from `domain::rights` and the operations of `rest`. A test writes this page: run \
                  it with `UPDATE=1`.\n\n\
                  | Right | key | admin key | pay token | organizer token | receipt token | condition on keys | operations |\n\
                  |---|---|---|---|---|---|---|---|\n";
    Right::ALL.iter().fold(header.to_owned(), |page, right| page + &row(*right))
}

fn row(right: Right) -> String {
    let RightGrant { name, credentials, conditions } = right.grant();
    let marks = Credential::ALL.map(|credential| if credentials.contains(&credential) { "●" } else { "–" });
    let conditions: Vec<&str> = conditions.iter().map(|condition| describe(*condition)).collect();
    let operations: Vec<String> = operations::all()
        .filter(|(_, operation)| operation.right == right)
        .map(|(_, operation)| format!("`{}`", operation.id))
        .collect();
    format!("| `{name}` | {} | {} | {} |\n", marks.join(" | "), conditions.join(", "), operations.join(", "))
}

const fn describe(condition: KeyCondition) -> &'static str {
    match condition {
        KeyCondition::LiveModeEnabled => "live mode enabled",
        KeyCondition::AllAccounts => "not restricted to accounts",
        KeyCondition::MayRefund => "a standard key must have `mayRefund`",
    }
}
