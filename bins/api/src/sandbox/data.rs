use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use vault::Vault;

use crate::failure::{Context, Done, Failure};

/// The folder in which a sandbox keeps everything. Each of its files is its owner's alone.
pub(super) struct DataFolder {
    path: PathBuf,
    /// Locked as long as the process lives, however it ends.
    _lock: File,
}

impl DataFolder {
    /// Takes the folder for this process, and makes it if it is not there.
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

    /// The path of one of its files.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The file of the embedded database. It is made here, because its companions take over its
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

    /// What was kept under that name, if anything was.
    pub(super) fn recall<T: DeserializeOwned>(&self, name: &str) -> Done<Option<T>> {
        let path = self.file(name);
        let damaged = || format!("{} cannot be read", path.display());
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).or_fail(damaged()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).or_fail(damaged()),
        }
    }

    /// Keeps something under that name: a crash leaves all of it, or what was there before.
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

/// Opens for writing; what it makes is its owner's alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}
