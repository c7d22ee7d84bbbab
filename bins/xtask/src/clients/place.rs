//! Paths of the programs and files that the checks of clients use.

use std::{env, fs, path::PathBuf};

use crate::chore::{self, Done};

/// Paths of the programs and files that the checks use.
pub(super) struct Place {
    /// The workspace.
    pub(super) root: PathBuf,
    /// The program that is tested.
    pub(super) cobro: PathBuf,
    /// The receiver of events that is written in Rust.
    pub(super) receiver: PathBuf,
    /// Ours, below the target folder.
    pub(super) folder: PathBuf,
}

impl Place {
    /// Finds `cobro` beside this program, and the examples below.
    pub(super) fn find() -> Done<Self> {
        let own = env::current_exe()?;
        let built = own.parent().ok_or("this program is in no folder")?;
        let target = built.parent().ok_or("the target folder is nowhere")?;
        let folder = target.join("clients");
        fs::create_dir_all(&folder)?;
        let root = fs::canonicalize(chore::root())?;
        Ok(Self { root, cobro: built.join("cobro"), receiver: built.join("examples/webhooks"), folder })
    }

    /// The published OpenAPI document.
    pub(super) fn document(&self) -> PathBuf {
        self.root.join("docs/generated/openapi.json")
    }

    /// A file of the workspace.
    pub(super) fn fixture(&self, path: &str) -> PathBuf {
        self.root.join("fixtures").join(path)
    }
}
