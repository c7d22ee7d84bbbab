//! Settings that all manifests share, and the reasons for dependencies.

use crate::workspace::{Entry, entries, manifest, members, read, rust_files};

#[test]
fn every_member_takes_licence_and_lints_from_the_workspace() {
    for member in members() {
        let manifest = manifest(&member);
        let says = |table: &str, key: &str| {
            manifest.iter().any(|entry| entry.table == table && entry.key == key && entry.value == "true")
        };

        for key in ["edition", "license", "publish", "rust-version", "version"] {
            assert!(says("package", &format!("{key}.workspace")), "{member}: {key}.workspace = true");
        }
        assert!(says("lints", "workspace"), "{member}: [lints] workspace = true");
    }
}

/// A library with unit tests is built twice, which takes minutes.
#[test]
fn library_without_unit_tests_has_test_false() {
    for member in members() {
        let sources = rust_files(&format!("{member}/src"));
        if !sources.iter().any(|(path, _)| path.ends_with("/src/lib.rs")) {
            continue;
        }
        let has_tests = sources.iter().any(|(_, text)| text.contains("#[cfg(test)]"));
        let says = |entry: &Entry| (&*entry.table, &*entry.key, &*entry.value) == ("lib", "test", "false");
        let is_built = !manifest(&member).iter().any(says);

        assert_eq!(is_built, has_tests, "{member}: [lib] test = false, if its sources hold no test");
    }
}

#[test]
fn a_dependency_is_declared_at_the_root_alone() {
    for member in members() {
        for entry in manifest(&member).iter().filter(|entry| entry.is_dependency() || entry.is_for_tests()) {
            // Different features in members would build the dependency twice.
            let inherited = entry.key.ends_with(".workspace") || entry.value.contains("workspace = true");

            assert!(inherited, "{member}: {} = {} belongs into the root manifest", entry.key, entry.value);
        }
    }
}

#[test]
fn dependencies_are_sorted() {
    for member in members() {
        let manifest = manifest(&member);
        let tables: [Vec<&str>; 2] = [
            manifest.iter().filter(|entry| entry.is_dependency()).map(Entry::name).collect(),
            manifest.iter().filter(|entry| entry.is_for_tests()).map(Entry::name).collect(),
        ];

        for names in tables {
            assert!(names.is_sorted(), "{member}: {names:?}");
        }
    }
    let outside = outside();
    assert!(outside.is_sorted(), "{outside:?}");
}

#[test]
fn every_dependency_has_its_reason() {
    let page = read("docs/DEPENDENCIES.md");
    let explained: Vec<&str> = page.lines().filter_map(explained).collect();

    for name in outside() {
        assert!(explained.contains(&name.as_str()), "docs/DEPENDENCIES.md does not say why {name} is here");
    }
    for name in explained {
        assert!(outside().iter().any(|it| it == name), "docs/DEPENDENCIES.md explains {name}, which is not here");
    }
}

/// Returns the dependencies from outside the workspace.
fn outside() -> Vec<String> {
    let root = entries(&read("Cargo.toml"));
    let shared = root.iter().filter(|entry| entry.table == "workspace.dependencies");
    shared.filter(|entry| !entry.value.contains("path = ")).map(|entry| entry.name().to_owned()).collect()
}

/// `serde` in "- `serde`: …".
fn explained(line: &str) -> Option<&str> {
    let (name, reason) = line.strip_prefix("- `")?.split_once("`: ")?;
    (!reason.is_empty()).then_some(name)
}
