//! Where things are: members, their manifests, their sources.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Variable that names another root, for tests on a copy.
pub(crate) const ROOT: &str = "TIDY_ROOT";

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    env::var_os(ROOT).map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), PathBuf::from)
}

/// Reads a file of the workspace.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every member, as `crates/domain`, sorted.
pub(crate) fn members() -> Vec<String> {
    let mut members = Vec::new();
    for group in ["bins", "crates"] {
        for entry in fs::read_dir(root().join(group)).unwrap() {
            let folder = entry.unwrap();
            if folder.path().join("Cargo.toml").is_file() {
                members.push(format!("{group}/{}", folder.file_name().to_str().unwrap()));
            }
        }
    }
    members.sort();
    members
}

/// Returns every Rust file below `folder`: path from the root, and text.
pub(crate) fn rust_files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(root().join(&folder)) else { continue };
        for entry in entries {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.ends_with(".rs") {
                found.push((path.clone(), read(&path)));
            }
        }
    }
    found.sort();
    found
}

/// Line of a manifest: table, key and value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) table: String,
    pub(crate) key: String,
    pub(crate) value: String,
}

impl Entry {
    /// Whether the entry is a dependency of the product.
    pub(crate) fn is_dependency(&self) -> bool {
        self.table.ends_with("dependencies") && !self.is_for_tests()
    }

    /// Whether the entry is a dependency of tests.
    pub(crate) fn is_for_tests(&self) -> bool {
        self.table.ends_with("dev-dependencies")
    }

    /// The name of a dependency: `serde` in `serde.workspace = true`.
    pub(crate) fn name(&self) -> &str {
        self.key.split('.').next().unwrap_or_default()
    }
}

/// As much of TOML as our manifests use: `[table]` and `key = value`, each on one line.
pub(crate) fn manifest(member: &str) -> Vec<Entry> {
    entries(&read(&format!("{member}/Cargo.toml")))
}

/// The same for any text.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    let mut table = String::new();
    let mut entries = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            table = line.trim_matches(['[', ']']).to_owned();
        } else if let Some((key, value)) = line.split_once('=')
            && !line.starts_with('#')
        {
            entries.push(Entry { table: table.clone(), key: key.trim().to_owned(), value: value.trim().to_owned() });
        }
    }
    entries
}
