//! The crates that `deny.toml` bans. `cargo deny` knows more, but is not on every machine.

use std::process::Command;

use crate::workspace::{read, root};

#[test]
fn no_banned_crate_is_built() {
    let bans = bans();
    assert!(!bans.is_empty());

    for (name, version) in built() {
        let banned = bans.iter().find(|ban| ban.applies_to(&name, &version));

        assert!(banned.is_none(), "{name} {version} is banned; `cargo tree -i {name}` shows who asks for it");
    }
}

#[derive(Debug)]
struct Ban {
    name: String,
    /// The first version that is welcome again.
    below: Option<Vec<u32>>,
}

impl Ban {
    /// Reads `ring`, or `h2:<0.4`.
    fn parse(specification: &str) -> Self {
        let (name, below) = match specification.split_once(":<") {
            Some((name, version)) => (name, Some(numbers(version))),
            None => (specification, None),
        };
        Self { name: name.to_owned(), below }
    }

    fn applies_to(&self, name: &str, version: &str) -> bool {
        self.name == name && self.below.as_ref().is_none_or(|below| numbers(version) < *below)
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|number| number.parse().ok()).collect()
}

/// Every `crate = "…"` of the list of bans.
fn bans() -> Vec<Ban> {
    let text = read("deny.toml");
    let specifications = text.lines().filter_map(|line| line.trim().strip_prefix("{ crate = \"")?.split('"').next());
    specifications.map(Ban::parse).collect()
}

/// Returns name and version of every crate that this machine builds for the workspace and the tests.
fn built() -> Vec<(String, String)> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--locked", "--offline", "--prefix=none", "--format={p}"])
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    text.lines()
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, rest)| (name.to_owned(), rest.split(' ').next().unwrap_or_default().to_owned()))
        .collect()
}

#[test]
fn a_ban_may_end_at_a_version() {
    let forever = Ban::parse("ring");
    let until = Ban::parse("h2:<0.4");

    assert!(forever.applies_to("ring", "0.17.14"));
    assert!(!forever.applies_to("string", "0.17.14"));
    assert!(until.applies_to("h2", "0.3.27"));
    assert!(!until.applies_to("h2", "0.4.0"));
}
