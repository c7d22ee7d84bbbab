//! Migrations only grow: a database of a release has run them, so a recorded migration never changes.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// Path and SHA-256 of every migration, by path. `UPDATE=1` adds the new ones, and changes no line.
const RECORD: &str = "fixtures/migrations.tsv";
const RECORD_IT: &str = "record it with UPDATE=1";
const HEADER: &str = "path\tsha256\n";
const FOLDER: &str = "crates/storage/migrations";

/// Files by path, each with the digest of the content.
type Files = BTreeMap<String, String>;

#[test]
fn migrations_only_grow() {
    let files = files();
    let is_new = |fault: &String| fault.ends_with(RECORD_IT);
    if env::var_os("UPDATE").is_some() && faults(&recorded(), &files).iter().all(is_new) {
        let mut all = files.clone();
        all.extend(recorded());
        let lines: String = all.iter().map(|(path, digest)| format!("{path}\t{digest}\n")).collect();
        fs::write(root().join(RECORD), HEADER.to_owned() + &lines).expect("the record can be written");
    }

    assert_eq!(faults(&recorded(), &files), Vec::<String>::new());
}

#[test]
fn a_changed_deleted_inserted_or_unrecorded_migration_is_a_fault() {
    let of = |files: &[(&str, &str)]| {
        files.iter().map(|(path, digest)| ((*path).to_owned(), (*digest).to_owned())).collect::<Files>()
    };
    let recorded = of(&[("sqlite/0001_a/up.sql", "1"), ("sqlite/0003_b/up.sql", "2")]);
    let and = |path: &str| {
        let mut files = recorded.clone();
        files.insert(path.to_owned(), "3".to_owned());
        files
    };

    let changed = faults(&recorded, &of(&[("sqlite/0001_a/up.sql", "9"), ("sqlite/0003_b/up.sql", "2")]));
    let deleted = faults(&recorded, &of(&[("sqlite/0003_b/up.sql", "2")]));
    let inserted = faults(&recorded, &and("sqlite/0002_c/up.sql"));
    let unrecorded = faults(&recorded, &and("sqlite/0004_c/up.sql"));

    assert_eq!(changed, ["sqlite/0001_a/up.sql has changed: restore it and add a migration instead"]);
    assert_eq!(deleted, ["sqlite/0001_a/up.sql is missing: restore it and add a migration instead"]);
    let version = "sqlite/0002_c/up.sql is older than a recorded migration: give it the next version";
    let record = "is not in fixtures/migrations.tsv: record it with UPDATE=1";
    assert_eq!(inserted, [version.to_owned(), format!("sqlite/0002_c/up.sql {record}")]);
    assert_eq!(unrecorded, [format!("sqlite/0004_c/up.sql {record}")]);
    assert_eq!(faults(&recorded, &recorded), Vec::<String>::new());
}

/// Returns a sentence for everything about `files` that contradicts `recorded`.
fn faults(recorded: &Files, files: &Files) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, digest) in recorded {
        match files.get(path) {
            None => faults.push(format!("{path} is missing: restore it and add a migration instead")),
            Some(found) if found != digest => {
                faults.push(format!("{path} has changed: restore it and add a migration instead"));
            }
            Some(_) => {}
        }
    }
    for path in files.keys().filter(|path| !recorded.contains_key(*path)) {
        // Diesel runs the migrations of a folder in the order of their names.
        let (folder, version) = split(path);
        if recorded.keys().map(|other| split(other)).any(|other| other.0 == folder && other.1 > version) {
            faults.push(format!("{path} is older than a recorded migration: give it the next version"));
        }
        faults.push(format!("{path} is not in {RECORD}: {RECORD_IT}"));
    }
    faults
}

/// Splits a path into the folder of the database and the rest, which begins with the version.
fn split(path: &str) -> (&str, &str) {
    let rest = path.strip_prefix(FOLDER).map_or(path, |rest| rest.trim_start_matches('/'));
    rest.split_once('/').expect("a migration is in the folder of the database")
}

fn recorded() -> Files {
    let text = fs::read_to_string(root().join(RECORD)).unwrap_or_else(|error| panic!("{RECORD}: {error}"));
    let lines = text.strip_prefix(HEADER).unwrap_or_else(|| panic!("{RECORD} begins with {HEADER:?}"));
    let line = |line: &str| {
        let (path, digest) = line.split_once('\t').unwrap_or_else(|| panic!("{RECORD}: {line:?} has two columns"));
        (path.to_owned(), digest.to_owned())
    };
    lines.lines().map(line).collect()
}

fn files() -> Files {
    let mut files = Files::new();
    let mut folders = vec![FOLDER.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap_or_else(|error| panic!("{folder}: {error}")) {
            let entry = entry.expect("an entry of a folder");
            let path = format!("{folder}/{}", entry.file_name().to_str().expect("a name that is text"));
            if entry.file_type().expect("the type of a file").is_dir() {
                folders.push(path);
            } else {
                let content = fs::read(entry.path()).unwrap_or_else(|error| panic!("{path}: {error}"));
                let digest: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
                files.insert(path, digest);
            }
        }
    }
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
