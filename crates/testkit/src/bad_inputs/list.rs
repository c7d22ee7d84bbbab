use std::{collections::BTreeSet, fs, path::Path};

use super::data::{CaseFile, files, read_text};

/// Missing features that cases wait for.
const MISSING_FEATURES: [&str; 2] = ["the printed form", "the card form of the checkout"];

/// Checks the list: the data or a listed test proves every hazard, or the hazard waits for a missing feature. Every
/// hazard of the data is listed.
///
/// # Panics
///
/// If the list is incomplete.
pub fn check_case_list() {
    let mut proved_by_data: BTreeSet<String> = BTreeSet::new();
    for name in files() {
        proved_by_data.extend(CaseFile::read(&name).ids().map(str::to_owned));
    }
    let text = read_text("list.tsv");
    let mut listed = BTreeSet::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, proofs, description] = fields[..] else { panic!("not three fields: {line}") };
        assert!(listed.insert(id.to_owned()), "{id} is listed twice");
        assert!(!description.is_empty(), "{id} has a description");
        for proof in proofs.split(", ") {
            check_proof(id, proof, &proved_by_data);
        }
    }
    let unlisted: Vec<&String> = proved_by_data.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the list: {unlisted:?}");
}

fn check_proof(id: &str, proof: &str, proved_by_data: &BTreeSet<String>) {
    if proof == "data" {
        assert!(proved_by_data.contains(id), "{id} is in no file");
    } else if let Some(feature) = proof.strip_prefix("waits for ") {
        assert!(MISSING_FEATURES.contains(&feature), "{id} waits for {feature}");
    } else {
        let (path, name) = proof.split_once("::").unwrap_or_else(|| panic!("not a test: {proof}"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
        let source = fs::read_to_string(&path).unwrap_or_default();
        assert!(source.contains(&format!("fn {name}(")), "{id}: {proof} does not exist");
    }
}
