//! The dependency arrows of `docs/ARCHITECTURE.md`.

use crate::workspace::{manifest, members};

/// Each member and the members that it may depend on, innermost first. Tests may depend on what they like.
const ARROWS: &[(&str, &[&str])] = &[
    ("crates/domain", &[]),
    ("crates/ports", &["domain"]),
    ("crates/wire", &["domain"]),
    ("crates/app", &["domain", "ports"]),
    ("crates/storage", &["domain", "ports"]),
    ("crates/azul", &["domain", "ports"]),
    ("crates/dgii", &["domain", "ports"]),
    ("crates/ecf-schemas", &[]),
    ("crates/xml-signer", &["domain", "ports"]),
    ("crates/pdf", &["domain", "ports"]),
    ("crates/notifications", &["domain", "ports"]),
    ("crates/vault", &["domain", "ports"]),
    ("crates/sandbox", &["domain", "ecf-schemas", "ports"]),
    ("crates/testkit", &["domain", "ports"]),
    ("crates/simulation", &["app", "domain", "ports", "testkit"]),
    ("crates/tidy", &[]),
    ("crates/api-docs", &[]),
    ("crates/rest", &["api-docs", "app", "domain", "wire"]),
    ("crates/checkout", &["app", "domain"]),
    ("crates/ecf-inbox", &["app", "domain"]),
    ("crates/worker", &["app", "domain"]),
    (
        "bins/api",
        &[
            "app",
            "azul",
            "checkout",
            "dgii",
            "domain",
            "notifications",
            "ports",
            "pdf",
            "ecf-inbox",
            "rest",
            "sandbox",
            "storage",
            "vault",
            "wire",
            "worker",
            "xml-signer",
        ],
    ),
    ("bins/xtask", &[]),
];

/// What the domain may use from outside the workspace.
const PURE: &[&str] = &["chrono", "email_address", "rust_decimal", "thiserror", "zeroize"];

/// What tells where and how the code runs. Neither the domain's tests nor the use cases may need any of it.
const RUNTIMES: &[&str] = &["actix", "diesel", "hyper", "reqwest", "sqlite", "tokio"];

#[test]
fn every_member_has_its_arrows() {
    let mut drawn: Vec<&str> = ARROWS.iter().map(|(member, _)| *member).collect();
    drawn.sort_unstable();

    assert_eq!(members(), drawn);
}

#[test]
fn arrows_point_inward() {
    let ours: Vec<&str> = ARROWS.iter().filter_map(|(path, _)| path.rsplit('/').next()).collect();
    for (member, allowed) in ARROWS {
        for dependency in dependencies(member) {
            let inward = !ours.contains(&dependency.as_str()) || allowed.contains(&dependency.as_str());

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
