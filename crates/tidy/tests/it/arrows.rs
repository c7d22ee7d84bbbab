//! The dependency arrows of `docs/ARCHITECTURE.md`.

use crate::workspace::{manifest, members, read};

/// Members with the members that they may depend on.
const ARROWS: &str = "crates/tidy/arrows.txt";

fn arrows() -> Vec<(String, Vec<String>)> {
    let text = read(ARROWS);
    let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(':'));
    rows.map(|(member, allowed)| (member.to_owned(), allowed.split_whitespace().map(str::to_owned).collect())).collect()
}

/// Dependencies of the domain outside the workspace.
const PURE: &[&str] = &["chrono", "email_address", "rust_decimal", "thiserror", "zeroize"];

/// Runtimes, networks and databases. Neither tests of the domain nor use cases may depend on them.
const RUNTIMES: &[&str] = &["actix", "diesel", "hyper", "reqwest", "sqlite", "tokio"];

#[test]
fn every_member_has_its_arrows() {
    let mut drawn: Vec<String> = arrows().into_iter().map(|(member, _)| member).collect();
    drawn.sort_unstable();

    assert_eq!(members(), drawn);
}

#[test]
fn arrows_point_inward() {
    let arrows = arrows();
    let ours: Vec<&str> = arrows.iter().filter_map(|(path, _)| path.rsplit('/').next()).collect();
    for (member, allowed) in &arrows {
        for dependency in dependencies(member) {
            let inward = !ours.contains(&dependency.as_str()) || allowed.contains(&dependency);

            assert!(inward, "{member} must not depend on {dependency}");
        }
    }
}

#[test]
fn the_domain_is_pure() {
    for dependency in dependencies("crates/domain") {
        assert!(PURE.contains(&dependency.as_str()), "the domain must not depend on {dependency}");
    }
}

#[test]
fn the_tests_of_the_domain_need_no_runtime_no_network_and_no_database() {
    for entry in manifest("crates/domain").iter().filter(|entry| entry.is_for_tests()) {
        assert!(!is_runtime(entry.name()), "the domain's tests must not depend on {}", entry.name());
    }
}

#[test]
fn use_cases_name_no_runtime() {
    for dependency in dependencies("crates/app") {
        // The public JSON is `wire`'s and stored JSON is `storage`'s; a use case sees neither.
        let named = is_runtime(&dependency) || dependency == "serde_json";

        assert!(!named, "app must not depend on {dependency}");
    }
}

fn is_runtime(dependency: &str) -> bool {
    RUNTIMES.iter().any(|runtime| dependency.contains(runtime))
}

fn dependencies(member: &str) -> Vec<String> {
    let manifest = manifest(member);
    manifest.iter().filter(|entry| entry.is_dependency()).map(|entry| entry.name().to_owned()).collect()
}
