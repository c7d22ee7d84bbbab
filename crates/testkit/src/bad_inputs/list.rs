use std::{collections::BTreeSet, fs, path::Path};

use super::data::{CaseFile, files, text_of};

/// What some cases wait for.
const LATER: [&str; 2] = ["the printed form", "the card form of the checkout"];

/// Every hazard of the list is proved by the data or by a test that the list names, or it waits for
/// something that is not there yet. Whatever the data prove is in the list.
///
/// # Panics
///
/// Otherwise.
pub fn check_case_list() {
    let mut proved: BTreeSet<String> = BTreeSet::new();
    for name in files() {
        proved.extend(CaseFile::read(&name).ids().map(str::to_owned));
    }
    let text = text_of("list.tsv");
    let mut listed = BTreeSet::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, places, what] = fields[..] else { panic!("three fields, not {line}") };
        assert!(listed.insert(id.to_owned()), "{id} is listed twice");
        assert!(!what.is_empty(), "{id} says what it is");
        for place in places.split(", ") {
            check_place(id, place, &proved);
        }
    }
    let unlisted: Vec<&String> = proved.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the list: {unlisted:?}");
}

fn check_place(id: &str, place: &str, proved: &BTreeSet<String>) {
    if place == "data" {
        assert!(proved.contains(id), "{id} is in no file");
    } else if let Some(feature) = place.strip_prefix("waits for ") {
        assert!(LATER.contains(&feature), "{id} waits for {feature}");
    } else {
        let (path, name) = place.split_once("::").unwrap_or_else(|| panic!("a test, not {place}"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
        let source = fs::read_to_string(&path).unwrap_or_default();
        assert!(source.contains(&format!("fn {name}(")), "{id}: there is no {place}");
    }
}
