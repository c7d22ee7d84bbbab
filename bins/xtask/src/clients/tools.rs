//! Other people's programs, in the versions that the fixtures name, installed once.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    place::Place,
    sandbox::{Sandbox, with_variables},
};
use crate::{chore::Done, steps::Steps};

/// File of a complete installation: a copy of the list of versions.
const MARK: &str = "installed-from";

/// Returns a Python with the libraries that the named fixture lists.
pub(super) fn python(steps: &mut Steps, place: &Place, fixture: &str) -> Done<PathBuf> {
    let folder = place.folder.join(format!("python-{fixture}"));
    let list = place.fixture(fixture).join("requirements.txt");
    let python = folder.join("bin/python");
    if !is_installed(&folder, &list)? {
        start_over(&folder)?;
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(&folder);
        steps.run(make)?;
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(&list);
        steps.run(install)?;
        fs::copy(&list, folder.join(MARK))?;
    }
    Ok(python)
}

/// Installs the Node packages of a fixture.
pub(super) fn node(steps: &mut Steps, place: &Place, fixture: &str) -> Done {
    let folder = folder(place, fixture);
    let from = place.fixture(fixture);
    let lock = from.join("package-lock.json");
    if !is_installed(&folder, &lock)? {
        start_over(&folder)?;
        fs::create_dir_all(&folder)?;
        copy(&from, &["package.json", "package-lock.json"], &folder)?;
        let mut install = Command::new("npm");
        install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
        steps.run(install)?;
        fs::copy(&lock, folder.join(MARK))?;
    }
    Ok(())
}

/// Folder of the packages, and of the programs that need them.
pub(super) fn folder(place: &Place, fixture: &str) -> PathBuf {
    place.folder.join(fixture)
}

/// Copies files to another folder. Node looks for libraries beside a program, so programs are put beside the libraries.
pub(super) fn copy(from: &Path, names: &[&str], to: &Path) -> Done {
    for name in names {
        fs::copy(from.join(name), to.join(name))?;
    }
    Ok(())
}

/// Returns a program for Node in that folder.
pub(super) fn program(folder: &Path, name: &str) -> Command {
    let mut run = Command::new("node");
    run.arg(name).current_dir(folder);
    run
}

/// Compiles the TypeScript program `use.ts` of the folder, and runs it.
pub(super) fn use_typescript(steps: &mut Steps, folder: &Path, sandbox: &Sandbox) -> Done {
    let mut compile = program(folder, "node_modules/typescript/bin/tsc");
    compile.args(["--project", "tsconfig.json"]);
    steps.run(compile)?;
    steps.run(with_variables(program(folder, "built/use.js"), sandbox))
}

fn is_installed(folder: &Path, list: &Path) -> Done<bool> {
    let wanted = fs::read(list)?;
    Ok(fs::read(folder.join(MARK)).is_ok_and(|installed| installed == wanted))
}

/// Removes an incomplete installation.
pub(super) fn start_over(folder: &Path) -> Done {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use super::*;

    #[test]
    fn installation_is_complete_with_its_list_of_versions() {
        let folder = env::temp_dir().join(format!("cobro-tools-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let list = folder.join("list");
        fs::write(&list, "a==1\n").unwrap();

        let before = is_installed(&folder, &list).unwrap();
        fs::copy(&list, folder.join(MARK)).unwrap();
        let after = is_installed(&folder, &list).unwrap();
        fs::write(&list, "a==2\n").unwrap();
        let changed = is_installed(&folder, &list).unwrap();

        start_over(&folder).unwrap();
        assert_eq!((before, after, changed, folder.exists()), (false, true, false, false));
    }
}
