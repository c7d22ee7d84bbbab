//! The table of failure cases: each row names existing tests, or a missing feature.

use std::collections::BTreeMap;

use crate::workspace::{members, read, rust_files};

/// The cases that the table must have.
const GROUPS: &[(char, &[u8])] = &[
    ('A', &[1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26]),
    ('B', &[1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17]),
    ('C', &[1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32]),
    ('D', &[1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17]),
    ('E', &[1, 2, 4, 5, 7, 8, 10, 11, 13, 14]),
    ('F', &[1, 2, 4, 5, 7, 8]),
    ('G', &[1, 2, 4, 5, 7]),
];

/// The last of the cases of sums, texts and shares. They are every other number from 1 on, and have three digits.
const LAST_SUM: u8 = 145;

/// Pages that tell clients how to use the product.
const PAGES: &[&str] = &[
    "README.md",
    "docs/SANDBOX.md",
    "docs/SPLITS.md",
    "docs/EMBEDDING.md",
    "docs/WEBHOOKS.md",
    "docs/examples/node/cobro.mjs",
    "docs/examples/python/cobro.py",
    "docs/generated/openapi.json",
];

/// Returns for each case the tests, as file and name, or the missing feature.
fn table() -> BTreeMap<String, String> {
    let page = read("docs/CASES.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")).filter(|it| !it.starts_with("Case "));
    let rows: Vec<(String, String)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
            let [case, rule, held] = cells.try_into().unwrap_or_else(|_| panic!("three cells in {row}"));
            assert!(!rule.is_empty(), "{row}");
            (case.to_owned(), held.to_owned())
        })
        .collect();
    let table: BTreeMap<String, String> = rows.iter().cloned().collect();
    assert_eq!(table.len(), rows.len(), "a case stands in one row");
    table
}

#[test]
fn every_case_is_in_the_table() {
    let known: Vec<String> = table().into_keys().collect();

    let mut expected: Vec<String> =
        GROUPS.iter().flat_map(|(group, numbers)| numbers.iter().map(move |n| format!("{group}{n}"))).collect();
    expected.extend((1..=LAST_SUM).step_by(2).map(|n| format!("C{n:03}")));
    expected.sort();

    assert_eq!(known, expected);
}

#[test]
fn case_has_a_test_or_a_missing_feature() {
    for (case, held) in table() {
        if held.strip_prefix("waits for: ").is_some_and(|it| !it.is_empty()) {
            continue;
        }
        for test in held.split(", ") {
            let place = test.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
            let (file, name) = place.and_then(|it| it.split_once('#')).unwrap_or_else(|| panic!("{case}: {test}"));
            assert!(read(file).contains(&format!("fn {name}(")), "{case}: there is no {name} in {file}");
        }
    }
}

#[test]
fn test_that_names_its_case_is_in_the_row() {
    let table = table();
    for (path, text) in members().iter().flat_map(|member| rust_files(member)) {
        let mut lines = text.lines().map(str::trim);
        while let Some(line) = lines.next() {
            let Some(cases) = cases_in(line) else { continue };
            let function = lines.by_ref().find_map(|it| it.split_once("fn ")).map_or("", |(_, rest)| rest);
            let name = function.split('(').next().unwrap_or_default();
            for case in cases {
                let held = table.get(case).unwrap_or_else(|| panic!("{path}: {case} is not in the table"));
                assert!(held.contains(&format!("`{path}#{name}`")), "{path}: the row of {case} lacks {name}");
            }
        }
    }
}

/// `["A14", "A19"]` in `/// A14, A19: a result was booked twice.`
fn cases_in(line: &str) -> Option<Vec<&str>> {
    let (head, _) = line.strip_prefix("/// ")?.split_once(": ")?;
    let cases: Vec<&str> = head.split(", ").collect();
    let is_case = |it: &&str| {
        it.len() > 1
            && it.starts_with(|group: char| GROUPS.iter().any(|known| known.0 == group))
            && it[1..].bytes().all(|digit| digit.is_ascii_digit())
    };
    cases.iter().all(is_case).then_some(cases)
}

/// A7: documentation suggested a new key for each request, so that each retry charged again.
#[test]
fn no_page_suggests_a_new_key_for_each_request() {
    for page in PAGES {
        let text = read(page).to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        for advice in ["unique for every request", "unique for each request", "unique per request", "new key for every"]
        {
            assert!(!text.contains(advice), "{page}: a request that is sent again has the key that it had: {advice}");
        }
    }
}

#[test]
fn a_case_is_read_from_the_first_words() {
    assert_eq!(cases_in("/// A14, A19: a result"), Some(vec!["A14", "A19"]));
    for line in ["/// A: b", "/// A14 a result: b", "// A14: a result", "/// AB1: a", "/// A1, so: b"] {
        assert_eq!(cases_in(line), None, "{line}");
    }
}
