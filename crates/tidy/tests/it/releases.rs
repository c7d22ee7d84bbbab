//! `fixtures/releases.tsv`: the releases, with the commits that tests of upgrades start from.

use crate::workspace::{entries, read};

const RELEASES: &str = "fixtures/releases.tsv";

#[test]
fn releases_are_listed_from_the_first_to_the_newest() {
    let text = read(RELEASES);
    let rows = text.strip_prefix("version\tcommit\n").unwrap_or_else(|| panic!("{RELEASES}: version and commit"));
    let rows: Vec<(&str, &str)> = rows.lines().filter_map(|row| row.split_once('\t')).collect();
    let versions: Vec<[u32; 3]> = rows.iter().map(|(text, _)| version(text)).collect();

    assert_eq!(versions.len(), text.lines().count() - 1, "{RELEASES}: two columns");
    assert_eq!(versions.first(), Some(&[0, 1, 0]), "{RELEASES}: the schema begins with this release");
    assert!(versions.is_sorted_by(|earlier, later| earlier < later), "{RELEASES}: {versions:?}");
    assert!(versions.last() <= Some(&version(&version_of_the_workspace())), "{RELEASES}: newer than this source");
    for (version, commit) in rows {
        let is_hash = commit.len() == 40 && commit.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        assert!(is_hash, "{RELEASES}: {version} needs the hash of its commit, not {commit}");
    }
}

fn version_of_the_workspace() -> String {
    let manifest = entries(&read("Cargo.toml"));
    let version = manifest.iter().find(|entry| (&*entry.table, &*entry.key) == ("workspace.package", "version"));
    version.expect("the workspace has a version").value.trim_matches('"').to_owned()
}

fn version(text: &str) -> [u32; 3] {
    let parts: Vec<u32> = text.split('.').filter_map(|part| part.parse().ok()).collect();
    parts.try_into().unwrap_or_else(|_| panic!("{RELEASES}: {text:?} is no version"))
}
