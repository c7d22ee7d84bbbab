use std::{fs, path::Path};

use api_docs::{ErrorRow, all_advice};

use crate::html::{assert_self_contained, values};

#[test]
fn a_code_is_an_anchor_under_its_status() {
    let row = |code, status| ErrorRow { code, status, kind: "invalid_request", meaning: "This is < that." };
    let page = api_docs::errors(&[row("late", 409), row("early", 400), row("later", 409), row("early", 422)]).unwrap();

    let anchors = values(&page, "id");

    assert_eq!(anchors, ["content", "status-400", "early", "status-409", "late", "later", "status-422"]);
    assert!(page.contains("This is &#60; that."), "{page}");
    assert_self_contained(&page);
}

#[test]
fn exactly_the_published_codes_have_advice() {
    let table =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/error-codes.tsv")).unwrap();
    let mut published: Vec<&str> = table.lines().skip(1).map(|line| line.split('\t').nth(3).unwrap()).collect();
    published.sort_unstable();
    published.dedup();

    let mut advised: Vec<&str> = all_advice().map(|(code, _)| code).collect();
    advised.sort_unstable();

    assert_eq!(advised, published);
    assert!(all_advice().all(|(_, advice)| advice.ends_with('.')));
}

#[test]
fn advice_is_at_the_anchor_of_a_code_only() {
    let row = |status| ErrorRow { code: "rate_limit_exceeded", status, kind: "invalid_request", meaning: "Too many." };
    let (_, advice) = all_advice().find(|(code, _)| *code == "rate_limit_exceeded").unwrap();

    let page = api_docs::errors(&[row(429), row(400)]).unwrap();

    let (before, rest) = advice.split_once('`').unwrap();
    let name = rest.split('`').next().unwrap();
    assert_eq!(page.matches(&format!("{before}<code>{name}</code>")).count(), 1, "{page}");
}
