//! Journal of a simulated service, for restarts.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Write},
    marker::PhantomData,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};

/// An append-only file of JSON lines. An entry is on the disk before its effect is visible.
pub(crate) struct Journal<E> {
    file: Option<JournalFile>,
    entries: PhantomData<fn(E) -> E>,
}

struct JournalFile {
    file: File,
    /// End of the last complete line.
    length: u64,
    /// Whether an incomplete line may follow.
    is_torn: bool,
}

impl<E: Serialize + DeserializeOwned> Journal<E> {
    /// A journal without a file.
    pub(crate) const fn none() -> Self {
        Self { file: None, entries: PhantomData }
    }

    /// Opens or creates the journal at `path`. Each entry is passed to `remember`, which returns whether the entry is
    /// valid.
    ///
    /// A torn last line is cut off: a crash preceded the response to that entry.
    pub(crate) fn open(path: &Path, remember: impl FnMut(E) -> bool) -> Result<Self, JournalError> {
        let mut options = OpenOptions::new();
        // The journal contains names of buyers, so that only the owner may read the file.
        let file = options.read(true).append(true).create(true).mode(0o600).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse),
            // Some file systems do not support locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let length = each_entry(BufReader::new(&file), remember)?;
        file.set_len(length)?;
        // The name is durable only after a sync of the folder.
        File::open(path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(Self { file: Some(JournalFile { file, length, is_torn: false }), entries: PhantomData })
    }

    /// Writes `entry` to the disk, if there is a file.
    pub(crate) fn append(&mut self, entry: &E) -> io::Result<()> {
        let Some(state) = &mut self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        if state.is_torn {
            state.file.set_len(state.length)?;
        }
        state.is_torn = true;
        state.file.write_all(&line)?;
        state.file.sync_data()?;
        state.is_torn = false;
        state.length = state.length.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
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

/// Passes each complete line to `remember`, and returns the end of the last one.
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
        // Later bytes were appended after the start of the read.
        let Some(whole) = line.strip_suffix(b"\n") else { return Ok(length) };
        number = number.saturating_add(1);
        match serde_json::from_slice(whole).ok().map(&mut remember) {
            Some(true) => length = length.saturating_add(u64::try_from(read).unwrap_or(u64::MAX)),
            Some(false) => return Err(JournalError::Damaged { line: number }),
            None => torn = Some(number),
        }
    }
}

/// The journal cannot be used. No message shows the content.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("the journal cannot be read or written")]
    Unreadable(#[from] io::Error),
    /// Another process is writing the file.
    #[error("the journal is in use by another process")]
    InUse,
    /// A line before the last is invalid.
    #[error("line {line} of the journal makes no sense")]
    Damaged {
        /// Counted from 1.
        line: usize,
    },
}
