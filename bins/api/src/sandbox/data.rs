use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use vault::Vault;

use crate::failure::{Context, Done, Failure};

/// Data folder of a sandbox. All files have mode 0600.
pub(super) struct DataFolder {
    path: PathBuf,
    /// Locked until the end of the process.
    _lock: File,
}

impl DataFolder {
    /// Creates the folder if missing and locks the folder for this process.
    pub(super) fn open(path: &Path) -> Done<Self> {
        let unusable = || format!("{} cannot be used", path.display());
        DirBuilder::new().recursive(true).mode(0o700).create(path).or_fail(unusable())?;
        let lock = private().read(true).create(true).truncate(false).open(path.join("lock")).or_fail(unusable())?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::new(format!("another process is using {}: stop it first", path.display())))
            }
            Err(TryLockError::Error(error)) => Err(error).or_fail(unusable()),
        }
    }

    /// Path of a file in the folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// File of the embedded database. Created here, because SQLite gives further files the same
    /// mode.
    pub(super) fn database(&self) -> Done<PathBuf> {
        let path = self.file("cobro.db");
        let made = private().create(true).truncate(false).open(&path);
        made.or_fail(format!("{} cannot be used", path.display()))?;
        Ok(path)
    }

    /// The vault of the folder's own master key.
    pub(super) fn vault(&self) -> Done<Vault> {
        let path = self.file("master.key");
        let vault = if path.exists() { Vault::from_file(&path) } else { Vault::create_file(&path) };
        vault.or_fail(format!("{} cannot be used", path.display()))
    }

    /// Reads the stored value of that name.
    pub(super) fn recall<T: DeserializeOwned>(&self, name: &str) -> Done<Option<T>> {
        let path = self.file(name);
        let damaged = || format!("{} cannot be read", path.display());
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).or_fail(damaged()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).or_fail(damaged()),
        }
    }

    /// Stores a value under that name. After a crash the old or the new value is complete.
    pub(super) fn keep(&self, name: &str, value: &impl Serialize) -> Done {
        let path = self.file(name);
        let bytes = serde_json::to_vec_pretty(value).or_fail("the memory of the sandbox cannot be written")?;
        self.replace(&path, &bytes).or_fail(format!("{} cannot be written", path.display()))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let draft = path.with_extension("new");
        let mut file = private().create(true).truncate(true).open(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        File::open(&self.path)?.sync_all()
    }
}

/// Opens a file for writing, created with mode 0600.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}
