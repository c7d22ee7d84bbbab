//! Names in the sources that a page must list.

use crate::workspace::{read, rust_files};

#[test]
fn metrics_are_documented() {
    let page = read("docs/OPERATING.md");
    for (path, text) in rust_files("crates/rest/src/metrics").into_iter().chain([file("crates/rest/src/metrics.rs")]) {
        for name in quoted(&text).filter(|name| name.starts_with("cobro_")) {
            assert!(page.contains(name), "docs/OPERATING.md lacks {name} of {path}");
        }
    }
}

#[test]
fn decline_codes_have_a_test_card() {
    let page = read("docs/SANDBOX.md");
    let (path, text) = file("crates/domain/src/payment/decline.rs");
    // `CardExpired = "card_expired", true, "The card has expired.";`
    let rows = text.lines().filter(|line| line.contains("\", true, \"") || line.contains("\", false, \""));
    let codes: Vec<&str> = rows.filter_map(|line| quoted(line).next()).collect();

    assert!(!codes.is_empty(), "{path} has no codes");
    for code in codes {
        assert!(page.contains(&format!("`{code}`")), "docs/SANDBOX.md lacks {code}");
    }
}

fn file(path: &str) -> (String, String) {
    (path.to_owned(), read(path))
}

/// Returns the texts between quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}
