//! Changes of `docs/CHANGING.md`, applied to a copy of the sources: the named test fails until the last file is changed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

use crate::workspace::{ROOT, read, root};

/// Edit of one file: the text `after` which the line `add` is inserted. A new file has no `after`.
struct Edit {
    file: &'static str,
    after: &'static str,
    add: &'static str,
}

#[test]
fn decline_code() {
    let code = Edit {
        file: "crates/domain/src/payment/decline.rs",
        after: "declines! {\n",
        add: "    CardNotActivated = \"card_not_activated\", true, \"The card is not activated.\";\n",
    };
    let page = Edit { file: "docs/SANDBOX.md", after: "", add: "| `4222220000000999` | `card_not_activated` |\n" };

    check("documented::decline_codes_have_a_test_card", &[code], &[page]);
}

#[test]
fn metric() {
    let name = Edit {
        file: "crates/rest/src/metrics.rs",
        after: "",
        add: "const CARDS_DELETED: &str = \"cobro_cards_deleted_total\";\n",
    };
    let page = Edit { file: "docs/OPERATING.md", after: "", add: "| `cobro_cards_deleted_total` | deleted cards |\n" };

    check("documented::metrics_are_documented", &[name], &[page]);
}

#[test]
fn acquirer() {
    let manifest = Edit { file: "crates/cardnet/Cargo.toml", after: "", add: "[package]\nname = \"cardnet\"\n" };
    let arrows = Edit {
        file: "crates/tidy/arrows.txt",
        after: "crates/azul: domain ports\n",
        add: "crates/cardnet: domain ports\n",
    };

    check("arrows::every_member_has_its_arrows", &[manifest], &[arrows]);
}

/// Applies `first`, then `last`. `test` passes before, fails between them and passes afterwards.
#[track_caller]
fn check(test: &str, first: &[Edit], last: &[Edit]) {
    let copy = Copy::of(&["bins", "crates", "docs"]);

    assert!(copy.passes(test), "{test} fails before the change");
    first.iter().for_each(|edit| copy.apply(edit));
    assert!(!copy.passes(test), "{test} passes without {}", last[0].file);
    last.iter().for_each(|edit| copy.apply(edit));
    assert!(copy.passes(test), "{test} fails after the change");
}

/// Copy of some files of the workspace; removed when dropped.
struct Copy(PathBuf);

impl Copy {
    fn of(paths: &[&str]) -> Self {
        let name = std::thread::current().name().unwrap_or_default().replace("::", "-");
        let copy = Self(env::temp_dir().join(format!("cobro-{name}-{}", process::id())));
        paths.iter().for_each(|path| copy_all(&root().join(path), &copy.0.join(path)));
        copy
    }

    fn apply(&self, edit: &Edit) {
        let path = self.0.join(edit.file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let at =
            text.find(edit.after).unwrap_or_else(|| panic!("{}: no {:?}", edit.file, edit.after)) + edit.after.len();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{}{}{}", &text[..at], edit.add, &text[at..])).unwrap();
    }

    /// Runs one of these tests on the copy.
    fn passes(&self, test: &str) -> bool {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", test]).env(ROOT, &self.0).output().unwrap().status.success()
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Copies a file, or the sources and manifests of a folder.
fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy_all(&from.join(&name), &to.join(&name));
        }
    } else if from
        .extension()
        .is_some_and(|extension| ["md", "rs", "toml", "txt"].iter().any(|known| extension == *known))
    {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn files_of_the_page_exist() {
    let page = read("docs/CHANGING.md");
    let paths = page.split('`').skip(1).step_by(2).filter(|code| code.contains('/') && !code.contains("NAME"));

    for path in paths.filter(|path| !path.contains(' ')) {
        assert!(root().join(path).exists(), "docs/CHANGING.md names {path}");
    }
}
