//! The programs that are called beside cargo.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{chore::Done, steps::succeeds};

/// Programs that tests call, with their Debian packages.
const NEEDS: &[(&str, &str)] = &[
    ("chromium", "chromium"),
    ("curl", "curl"),
    ("faketime", "faketime"),
    ("geronimo-annotation-1.3-spec.jar", "libgeronimo-annotation-1.3-spec-java"),
    ("javac", "default-jdk-headless"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("openssl", "openssl"),
    ("pdftotext", "poppler-utils"),
    ("postgres", "postgresql"),
    ("python3", "python3-venv"),
    ("qpdf", "qpdf"),
    ("systemd-analyze", "systemd"),
    ("xmllint", "libxml2-utils"),
    ("xmlsec1", "xmlsec1"),
    ("zbarimg", "zbar-tools"),
];

/// The same for measuring.
const NEEDS_TO_MEASURE: &[(&str, &str)] = &[
    ("chromium", "chromium"),
    ("curl", "curl"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("openssl", "openssl"),
    ("pgbench", "postgresql"),
    ("postgres", "postgresql"),
    ("psql", "postgresql"),
    ("wrk", "wrk"),
];

/// Debian has the programs of each server version in a folder outside `PATH`.
const SERVERS: &str = "/usr/lib/postgresql";

/// Debian installs the libraries of Java in one folder.
const JARS: &str = "/usr/share/java";

/// Installs programs that the tests need, or returns the command that does.
pub(crate) fn install() -> Done {
    install_missing("testing", NEEDS)
}

/// Installs programs that the bench needs.
pub(crate) fn install_for_bench() -> Done {
    install_missing("measuring", NEEDS_TO_MEASURE)
}

fn install_missing(who: &str, needs: &[(&'static str, &'static str)]) -> Done {
    let missing = missing(needs);
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    if let Some(become_root) = rights() {
        install_packages(&become_root, &packages);
    }
    let missing: Vec<&str> = self::missing(needs).iter().map(|(program, _)| *program).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{who} needs {}; on Debian this installs what is missing (elsewhere, the same from your package manager):\n\n    \
         sudo apt-get update && sudo apt-get install -y --no-install-recommends {}\n",
        missing.join(", "),
        packages.join(" "),
    )
    .into())
}

/// Returns the first folder with all of `programs`: the newest PostgreSQL, then `PATH`, then the libraries of Java.
pub(crate) fn folder_of(programs: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let holds_all = |folder: &PathBuf| programs.iter().all(|program| folder.join(program).is_file());
    servers().into_iter().chain(env::split_paths(&path)).chain([JARS.into()]).find(holds_all)
}

fn missing(needs: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    needs.iter().filter(|(program, _)| folder_of(&[program]).is_none() || !is_whole(program)).copied().collect()
}

/// Debian splits the modules for virtual environments from Python.
fn is_whole(program: &str) -> bool {
    let asked = |arguments: &[&str]| succeeds(Command::new(program).args(arguments).stderr(Stdio::null()));
    program != "python3" || asked(&["-c", "import ensurepip, venv"])
}

/// `/usr/lib/postgresql/17/bin` before `/usr/lib/postgresql/9/bin`.
fn servers() -> Vec<PathBuf> {
    let mut versions: Vec<u32> = Path::new(SERVERS)
        .read_dir()
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    versions.sort_unstable_by(|one, other| other.cmp(one));
    versions.iter().map(|version| Path::new(SERVERS).join(version.to_string()).join("bin")).collect()
}

/// Prefix of a command that runs as root; `None` without the rights or without apt.
fn rights() -> Option<Vec<&'static str>> {
    folder_of(&["apt-get"])?;
    let user = Command::new("id").arg("-u").output().ok()?;
    if user.stdout == b"0\n" {
        return Some(vec!["env"]);
    }
    let sudo = succeeds(Command::new("sudo").args(["-n", "true"]).stderr(Stdio::null()));
    sudo.then(|| vec!["sudo", "-n", "env"])
}

/// Installs packages. Errors are ignored, because the caller checks the programs afterwards.
fn install_packages(become_root: &[&str], packages: &[&str]) {
    eprintln!("xtask: installing {}", packages.join(", "));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new(become_root[0]);
        command.args(&become_root[1..]).args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]).args(arguments);
        succeeds(&mut command)
    };
    apt(&["update"]);
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_only_with_its_companions() {
        let found = folder_of(&["sh"]);
        let not_found = folder_of(&["sh", "a-missing-program"]);

        assert!(found.is_some_and(|folder| folder.join("sh").is_file()));
        assert_eq!(not_found, None);
    }
}
