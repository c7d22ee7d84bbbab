//! What a simulator has done, line by line, so that a restart changes nothing.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Write},
    marker::PhantomData,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};

/// An append-only file of JSON lines. An entry is on the disk before anyone hears of it.
pub(crate) struct Journal<E> {
    file: Option<Kept>,
    entries: PhantomData<fn(E) -> E>,
}

struct Kept {
    file: File,
    /// Where the last whole line ends.
    length: u64,
    /// Whether half a line may stand behind it.
    is_torn: bool,
}

impl<E: Serialize + DeserializeOwned> Journal<E> {
    /// A journal that is forgotten with the process.
    pub(crate) const fn none() -> Self {
        Self { file: None, entries: PhantomData }
    }

    /// The journal at `path`, made if there is none. Each entry that it holds goes to `remember`,
    /// which says whether it makes sense.
    ///
    /// The last line may be torn: a crash came before its entry was answered for, so it is cut off.
    pub(crate) fn open(path: &Path, remember: impl FnMut(E) -> bool) -> Result<Self, JournalError> {
        let mut options = OpenOptions::new();
        // It holds what buyers are called, so it is its owner's alone.
        let file = options.read(true).append(true).create(true).mode(0o600).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse),
            // Some file systems know no locks; there, nobody watches.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let length = each_entry(BufReader::new(&file), remember)?;
        file.set_len(length)?;
        // The name is on the disk only once its folder is.
        File::open(path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(Self { file: Some(Kept { file, length, is_torn: false }), entries: PhantomData })
    }

    /// Writes `entry` to the disk, if there is a file.
    pub(crate) fn append(&mut self, entry: &E) -> io::Result<()> {
        let Some(kept) = &mut self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        if kept.is_torn {
            kept.file.set_len(kept.length)?;
        }
        kept.is_torn = true;
        kept.file.write_all(&line)?;
        kept.file.sync_data()?;
        kept.is_torn = false;
        kept.length = kept.length.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
        Ok(())
    }
}

/// Reads the entries of a journal that may be growing.
pub(crate) fn entries<E: DeserializeOwned>(path: &Path) -> Result<Vec<E>, JournalError> {
    let mut entries = Vec::new();
    each_entry(BufReader::new(File::open(path)?), |entry| {
        entries.push(entry);
        true
    })?;
    Ok(entries)
}

/// Hands over each whole line, and returns where the last one ends.
fn each_entry<E: DeserializeOwned>(
    mut file: impl BufRead,
    mut remember: impl FnMut(E) -> bool,
) -> Result<u64, JournalError> {
    let (mut line, mut length, mut number) = (Vec::new(), 0_u64, 0_usize);
    let mut torn = None;
    loop {
        line.clear();
        let read = file.read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(length);
        }
        if let Some(line) = torn {
            return Err(JournalError::Damaged { line });
        }
        // Whatever comes after the end was not there when reading began.
        let Some(whole) = line.strip_suffix(b"\n") else { return Ok(length) };
        number = number.saturating_add(1);
        match serde_json::from_slice(whole).ok().map(&mut remember) {
            Some(true) => length = length.saturating_add(u64::try_from(read).unwrap_or(u64::MAX)),
            Some(false) => return Err(JournalError::Damaged { line: number }),
            None => torn = Some(number),
        }
    }
}

/// A journal cannot be used. No message shows what is in it.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("the journal cannot be read or written")]
    Unreadable(#[from] io::Error),
    /// Somebody else is writing it.
    #[error("the journal is in use by another process")]
    InUse,
    /// A line in it makes no sense, and it is not the last.
    #[error("line {line} of the journal makes no sense")]
    Damaged {
        /// Counted from 1.
        line: usize,
    },
}
