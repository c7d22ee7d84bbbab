//! Subjects of commits: `area: summary`, at most 72 characters.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    chore::{Done, root},
    steps::output,
};

/// Maximum length of a subject, so that `git log --oneline` fits a terminal.
const LENGTH: usize = 72;
/// Beginnings of subjects that Git writes itself.
const WRITTEN_BY_GIT: &[&str] = &["Merge ", "Revert ", "fixup! ", "squash! ", "amend! "];
/// List of releases; its last line ends with the commit of the newest release.
const RELEASES: &str = "fixtures/releases.tsv";
const HOOK: &str = "#!/bin/sh\nexec cargo xtask commits --message \"$1\"\n";

/// Checks the subjects of the commits after `base`, or after the newest release.
pub(crate) fn check(base: Option<&str>) -> Done {
    let releases = fs::read_to_string(root().join(RELEASES))?;
    let newest = releases.lines().last().and_then(|line| line.split_once('\t')).map(|(_, commit)| commit);
    let base = base.or(newest).ok_or_else(|| format!("name a commit: {RELEASES} lists no release"))?;
    let log = git(&["log", "--no-merges", "--format=%h %s", &format!("{base}..HEAD")])?;
    let commits = log.lines().filter_map(|line| line.split_once(' '));
    let faults: Vec<String> =
        commits.filter_map(|(commit, subject)| Some(format!("{commit} {subject}: {}", fault(subject)?))).collect();
    eprintln!("{} commits since {base}", log.lines().count());
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// Checks the message in `file`, as a commit-msg hook.
pub(crate) fn check_message(file: &str) -> Done {
    let message = fs::read_to_string(file)?;
    let subject = message.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    fault(subject).map_or(Ok(()), |fault| Err(format!("{subject}: {fault}").into()))
}

/// Makes Git check each message before a commit.
pub(crate) fn install_hook() -> Done {
    let hooks = PathBuf::from(git(&["rev-parse", "--path-format=absolute", "--git-path", "hooks"])?.trim());
    fs::create_dir_all(&hooks)?;
    let hook = hooks.join("commit-msg");
    if fs::read_to_string(&hook).is_ok_and(|text| text != HOOK) {
        return Err(format!("{} exists already", hook.display()).into());
    }
    fs::write(&hook, HOOK)?;
    make_executable(&hook)?;
    eprintln!("installed {}", hook.display());
    Ok(())
}

fn make_executable(file: &Path) -> Done {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

/// Returns the fault of a subject.
fn fault(subject: &str) -> Option<String> {
    if WRITTEN_BY_GIT.iter().any(|start| subject.starts_with(start)) {
        return None;
    }
    let length = subject.chars().count();
    if length > LENGTH {
        return Some(format!("{length} characters; the maximum is {LENGTH}"));
    }
    let is_plain = subject.split_once(": ").is_some_and(|(areas, summary)| {
        let is_area = |area: &str| {
            let characters = |character: char| character.is_ascii_alphanumeric() || "-_./ ".contains(character);
            !area.is_empty() && area.chars().all(characters)
        };
        areas.split(", ").all(is_area) && !summary.trim().is_empty() && !summary.ends_with('.')
    });
    (!is_plain).then(|| "write `area: summary`, without a full stop".to_owned())
}

fn git(arguments: &[&str]) -> Done<String> {
    output(&format!("git {}", arguments.join(" ")), Command::new("git").args(arguments).current_dir(root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_is_an_area_and_a_summary() {
        for subject in [
            "webhooks: retry after Retry-After dates",
            "storage, openapi: state a join once",
            "ecf verify: report unusable schemas",
            "Merge branch 'main'",
        ] {
            assert_eq!(fault(subject), None, "{subject}");
        }
        for subject in ["", "Fix the tests", "webhooks:", "webhooks: ", "webhooks: retry.", ": retry", "a!: retry"] {
            assert!(fault(subject).is_some(), "{subject}");
        }
    }

    #[test]
    fn subject_has_at_most_72_characters() {
        let subject = |length: usize| format!("a: {}", "é".repeat(length - 3));

        assert_eq!(fault(&subject(72)), None);
        assert_eq!(fault(&subject(73)).as_deref(), Some("73 characters; the maximum is 72"));
    }
}
