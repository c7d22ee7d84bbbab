use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use zeroize::Zeroizing;

use crate::{MasterKey, NotAKey, Vault};

/// Room for the current key and some eighty retired ones.
const MAX_LEN: u64 = 4096;

impl Vault {
    /// Opens the vault of a key file: one key a line, the current one first. A key that is added to the file later is
    /// found when a value needs the key.
    ///
    /// # Errors
    ///
    /// [`KeyFileUnusable`] if the file cannot be read, if other users than the owner may read or write the file, or if a line is
    /// not a key.
    pub fn from_file(path: &Path) -> Result<Self, KeyFileUnusable> {
        Ok(Self { file: Some(path.to_owned()), ..Self::from_text(&read(path)?)? })
    }

    /// Creates a vault with a new key in the file `path`, readable by the owner only. The file is on the disk before a
    /// value is sealed.
    ///
    /// # Errors
    ///
    /// [`KeyFileUnusable::Unreadable`] if the file exists already (a new key would lose the values of the old one) or
    /// cannot be written.
    pub fn create_file(path: &Path) -> Result<Self, KeyFileUnusable> {
        let key = MasterKey::random().to_text();
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        if let Err(error) = write(file, &[&key], path) {
            // Half a key must not block the next attempt; the first error counts.
            let _ = fs::remove_file(path);
            return Err(error.into());
        }
        Self::from_file(path)
    }

    /// Puts a new key in front of those in the file at `path`. At no time is the file without the old keys.
    ///
    /// # Errors
    ///
    /// [`KeyFileUnusable`] if the file cannot be read or written, if the file has no room for another key, or if another
    /// process is writing the file.
    pub fn put_key_in_front(path: &Path) -> Result<(), KeyFileUnusable> {
        let lock = private().create(true).truncate(false).open(beside(path, ".lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(KeyFileUnusable::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let (key, before) = (MasterKey::random().to_text(), read(path)?);
        // A file with an unreadable line is not copied.
        Self::from_text(&before)?;
        let length = key.len() + before.len() + 1;
        if u64::try_from(length).unwrap_or(u64::MAX) >= MAX_LEN {
            return Err(KeyFileUnusable::Full);
        }
        let draft = beside(path, ".new");
        let file = private().create(true).truncate(true).open(&draft)?;
        write(file, &[&key, before.trim_end()], path)?;
        fs::rename(&draft, path)?;
        Ok(keep_name(path)?)
    }
}

fn read(path: &Path) -> Result<Zeroizing<String>, KeyFileUnusable> {
    let file = File::open(path)?;
    // The check uses the open file, so that the checked file is the one that is read.
    if file.metadata()?.mode() & 0o077 != 0 {
        return Err(KeyFileUnusable::Exposed);
    }
    let mut text = Zeroizing::new(String::with_capacity(MAX_LEN as usize));
    file.take(MAX_LEN).read_to_string(&mut text)?;
    // Some editors write a byte order mark.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

fn write(mut file: File, lines: &[&str], path: &Path) -> io::Result<()> {
    for line in lines {
        file.write_all(line.as_bytes())?;
        file.write_all(b"\n")?;
    }
    file.sync_all()?;
    keep_name(path)
}

/// Flushes the folder: only then is the name of the file on the disk.
fn keep_name(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Returns options for writing; a new file is readable by the owner only.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Fault of the key file. No message shows the content.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileUnusable {
    /// The file cannot be read or written.
    #[error("the key file cannot be read or written")]
    Unreadable(#[from] io::Error),
    /// Other users than the owner may read or write the file.
    #[error("the key file is open to others than its owner: give it mode 0600")]
    Exposed,
    /// The file holds no key, or a line that is not a key.
    #[error("the key file does not hold one key a line")]
    NotAKey(#[from] NotAKey),
    /// The file has the maximum number of keys.
    #[error("the key file has no room for another key")]
    Full,
    /// Another process is adding a key.
    #[error("another process is putting a key into the file")]
    Busy,
}
