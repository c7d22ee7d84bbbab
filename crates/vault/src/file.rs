use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

use zeroize::Zeroizing;

use crate::{MasterKey, NotAKey, Vault};

/// Room for the current key and some eighty retired ones.
const MAX_LEN: u64 = 4096;

impl Vault {
    /// The vault of the keys in a file: one a line, the current one first.
    ///
    /// # Errors
    ///
    /// [`KeyFileUnusable`] if the file cannot be read, if anyone but its owner may read or write
    /// it, or if a line is not a key.
    pub fn from_file(path: &Path) -> Result<Self, KeyFileUnusable> {
        let file = File::open(path)?;
        // Asked of the open file, so that it is the one that is read.
        if file.metadata()?.mode() & 0o077 != 0 {
            return Err(KeyFileUnusable::Exposed);
        }

        let mut text = Zeroizing::new(String::with_capacity(MAX_LEN as usize));
        file.take(MAX_LEN).read_to_string(&mut text)?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let keys = lines.map(MasterKey::from_text).collect::<Result<Vec<_>, _>>()?;
        let (current, retired) = keys.split_first().ok_or(NotAKey)?;
        Ok(Self::rotated(current, retired))
    }

    /// A vault with a new key, which `path` keeps: readable by its owner alone, and on the disk
    /// before anything is sealed under it.
    ///
    /// # Errors
    ///
    /// [`KeyFileUnusable::Unreadable`] if the file exists already: what its key sealed would be
    /// lost; or if it cannot be written.
    pub fn create_file(path: &Path) -> Result<Self, KeyFileUnusable> {
        let key = MasterKey::random();
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        if let Err(error) = write_key(file, &key, path) {
            // Half a key must not stand in the way of the next attempt; the first error counts.
            let _ = fs::remove_file(path);
            return Err(error.into());
        }
        Ok(Self::new(&key))
    }
}

fn write_key(mut file: File, key: &MasterKey, path: &Path) -> io::Result<()> {
    file.write_all(key.to_text().as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    // The name is on the disk only once its folder is.
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// The key file cannot be used. No message shows what is in it.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileUnusable {
    /// It cannot be read or written.
    #[error("the key file cannot be read or written")]
    Unreadable(#[from] io::Error),
    /// Others than its owner may read or write it.
    #[error("the key file is open to others than its owner: give it mode 0600")]
    Exposed,
    /// It holds no key, or something that is not one.
    #[error("the key file does not hold one key a line")]
    NotAKey(#[from] NotAKey),
}
