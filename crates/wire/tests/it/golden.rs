//! Responses as files. `UPDATE=1` writes them; a difference fails the test.

use std::{env, fs, path::PathBuf};

use serde::Serialize;

/// Asserts that a response equals the file `name`.
#[track_caller]
pub(crate) fn assert_golden(name: &str, response: &impl Serialize) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/json").join(format!("{name}.json"));
    let page = serde_json::to_string_pretty(response).unwrap() + "\n";
    if env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &page).unwrap();
    }

    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "fixtures/json/{name}.json is stale: run with UPDATE=1\n{page}");
}
