//! Rules about code that clippy does not check, and the settings of clippy.

use syn::{
    Attribute,
    visit::{self, Visit},
};

use crate::{
    syntax::every_file,
    workspace::{read, root},
};

/// Crates with repeatable decisions: clippy forbids hash maps, clocks and threads there.
const DETERMINISTIC: &[&str] = &["crates/app", "crates/domain"];
/// Crates that compute amounts: clippy forbids floating-point numbers there.
const WITHOUT_FLOAT: &[&str] = &["crates/app", "crates/dgii", "crates/domain", "crates/storage", "crates/wire"];

#[test]
fn no_test_is_ignored() {
    for (path, file) in every_file() {
        let mut ignored = Ignored(false);
        ignored.visit_file(&file);

        assert!(!ignored.0, "{path}: a test runs or is deleted; a test that cannot run fails and prints the reason");
    }
}

struct Ignored(bool);

impl<'ast> Visit<'ast> for Ignored {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.0 |= attribute.path().is_ident("ignore");
        visit::visit_attribute(self, attribute);
    }
}

/// E1: clippy reads only the nearest `clippy.toml`, so each repeats the settings of the workspace.
#[test]
fn crates_that_compute_amounts_forbid_floats() {
    let shared = read("clippy.toml");
    for crate_ in WITHOUT_FLOAT {
        let own = read(&format!("{crate_}/clippy.toml"));
        for line in shared.lines() {
            assert!(own.lines().any(|own| own == line), "{crate_}/clippy.toml lacks {line}");
        }
        let is_deterministic = DETERMINISTIC.contains(crate_);
        let forbidden: &[&str] = if is_deterministic {
            &[
                "f32",
                "f64",
                "std::collections::HashMap",
                "std::collections::HashSet",
                "std::time::Instant",
                "std::thread::spawn",
            ]
        } else {
            &["f32", "f64"]
        };
        for name in forbidden {
            assert!(own.contains(&format!("path = \"{name}\"")), "{crate_}/clippy.toml allows {name}");
        }
    }
    let all = WITHOUT_FLOAT.iter().map(|name| (*name).to_owned());
    let found = crate::workspace::members().into_iter().filter(|name| root().join(name).join("clippy.toml").is_file());
    assert!(found.eq(all), "list each crate with a clippy.toml here");
}
