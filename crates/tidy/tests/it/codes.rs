//! The published error codes: declarations in the source equal `fixtures/error-codes.tsv`.

use std::collections::{BTreeMap, BTreeSet};

use crate::workspace::{read, rust_files};

/// The crates that declare codes: the lowest that can detect any of a family's.
const HOMES: &[&str] = &["crates/app/src", "crates/domain/src", "crates/rest/src"];

/// A family and a code. One code is in two families.
type Row = (String, String);

#[test]
fn the_declared_codes_are_the_published_codes() {
    let published: BTreeSet<Row> = published().into_iter().map(|line| line.row).collect();
    let declared: BTreeSet<Row> = declared_everywhere().into_iter().collect();

    let missing: Vec<&Row> = published.difference(&declared).collect();
    let extra: Vec<&Row> = declared.difference(&published).collect();

    assert!(missing.is_empty(), "published but declared nowhere: {missing:?}");
    assert!(extra.is_empty(), "declared but not published: {extra:?}");
}

#[test]
fn a_code_is_declared_on_one_line() {
    let mut seen = BTreeSet::new();
    for row in declared_everywhere() {
        assert!(seen.insert(row.clone()), "declared twice in its family: {row:?}");
    }
}

#[test]
fn the_published_table_is_whole() {
    let lines = published();
    let of_the_interface: Vec<&Line> = lines.iter().filter(|line| line.origin == "published").collect();
    let distinct: BTreeSet<&str> = of_the_interface.iter().map(|line| line.row.1.as_str()).collect();
    let ours = lines.iter().filter(|line| line.origin == "ours").count();

    assert_eq!((of_the_interface.len(), distinct.len(), ours), (71, 70, 21));
}

#[test]
fn a_family_has_one_type_and_one_status() {
    let mut families: BTreeMap<String, (String, String)> = BTreeMap::new();
    for Line { row: (family, _), answer, .. } in published() {
        let first = families.entry(family.clone()).or_insert_with(|| answer.clone());

        assert_eq!(*first, answer, "{family}");
    }
    assert_eq!(families.len(), 13);
}

struct Line {
    row: Row,
    /// The `type` and the HTTP status.
    answer: (String, String),
    origin: String,
}

fn published() -> Vec<Line> {
    let table = read("fixtures/error-codes.tsv");
    let lines = table.lines().skip(1).map(|line| {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let [family, r#type, status, code, origin] = fields.try_into().expect("five columns");
        Line { row: (family, code), answer: (r#type, status), origin }
    });
    lines.collect()
}

fn declared_everywhere() -> Vec<Row> {
    HOMES.iter().flat_map(|home| rust_files(home)).flat_map(|(_, text)| declared(&text)).collect()
}

/// The codes of every `codes!` block: a head, as in `Conflict of Conflict {`, and one line for each code, as in
/// `PaymentNotEditable = "payment_not_editable": "The payment can no longer be changed.",`.
fn declared(text: &str) -> Vec<Row> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while lines.by_ref().any(|line| line.ends_with("codes! {")) {
        let mut heads = lines.by_ref().filter(|line| line.ends_with('{') && !line.starts_with("//"));
        let head = heads.next().expect("a block holds a family");
        let (_name, family) = head.trim_end_matches([' ', '{']).split_once(" of ").expect("`Name of Family {`");
        let codes = lines.by_ref().take_while(|line| *line != "}").filter_map(code_on);
        found.extend(codes.map(|code| (family.to_owned(), code.to_owned())));
    }
    found
}

/// `payment_not_editable` in `PaymentNotEditable = "payment_not_editable": …`.
fn code_on(line: &str) -> Option<&str> {
    let (_variant, rest) = line.split_once(" = \"")?;
    let (code, rest) = rest.split_once('"')?;
    rest.starts_with(':').then_some(code)
}

#[test]
fn codes_are_read_from_blocks_alone() {
    let text = r#"
        macro_rules! codes { () => {} }
        const NOT: &str = "a code": ;
        domain::codes! {
            /// What may be wrong, of course {
            Wrong of NotFound {
                One = "one": "First.",
                Two = "two":
                    "Second.",
            }
        }
        codes! {
            Slow of RateLimit {
                Three = "three": "Third.",
            }
        }
        Four = "four": "Not in a block.",
    "#;

    let found = declared(text);

    let row = |family: &str, code: &str| (family.to_owned(), code.to_owned());
    assert_eq!(found, [row("NotFound", "one"), row("NotFound", "two"), row("RateLimit", "three")]);
}
