//! A movable clock with a stored offset.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Instant,
};

use chrono::{DateTime, Datelike, SubsecRound, TimeDelta, Utc};
use parking_lot::Mutex;
use ports::Clock;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Real time plus an offset, in whole milliseconds.
#[derive(Debug, Default)]
pub struct MovableClock {
    /// In milliseconds.
    offset: AtomicI64,
    // Locked while the clock is moved, so that the file and the offset agree.
    file: Mutex<Option<PathBuf>>,
}

impl MovableClock {
    /// The last year that documents and databases support.
    const LAST_YEAR: i32 = 9999;

    /// Shows real time until moved.
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads the offset from the file at `path`, and stores changes there.
    ///
    /// # Errors
    ///
    /// [`ClockFileError`] if an existing file cannot be read or is damaged.
    pub fn open(path: &Path) -> Result<Self, ClockFileError> {
        let offset = match fs::read_to_string(path) {
            Ok(text) => text.trim().parse().map_err(|_| ClockFileError::Damaged)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error.into()),
        };
        shifted(real_time(), offset).ok_or(ClockFileError::Damaged)?;
        Ok(Self { offset: AtomicI64::new(offset), file: Mutex::new(Some(path.to_owned())) })
    }

    /// Moves the clock forward, and returns the new time. Waits for the disk.
    ///
    /// # Errors
    ///
    /// [`ClockMoveError`]: the clock is unchanged.
    pub fn advance(&self, seconds: u64) -> Result<DateTime<Utc>, ClockMoveError> {
        self.move_to(|now| now.checked_add_signed(TimeDelta::try_seconds(i64::try_from(seconds).ok()?)?))
    }

    /// Sets the clock, forward or back, and returns the new time. Waits for the disk.
    ///
    /// # Errors
    ///
    /// [`ClockMoveError`]: the clock is unchanged.
    pub fn set(&self, to: DateTime<Utc>) -> Result<DateTime<Utc>, ClockMoveError> {
        self.move_to(|_| Some(to))
    }

    fn move_to(
        &self,
        target: impl FnOnce(DateTime<Utc>) -> Option<DateTime<Utc>>,
    ) -> Result<DateTime<Utc>, ClockMoveError> {
        let file = self.file.lock();
        let real = real_time();
        let to = target(self.now()).ok_or(ClockMoveError::OutOfRange)?.trunc_subsecs(3);
        let offset = to.signed_duration_since(real).num_milliseconds();
        let shown = shifted(real, offset).ok_or(ClockMoveError::OutOfRange)?;
        if let Some(path) = &*file {
            // Written first: after a restart the clock never shows an earlier time than before.
            keep(path, offset)?;
        }
        self.offset.store(offset, Ordering::Relaxed);
        Ok(shown)
    }
}

impl Clock for MovableClock {
    fn now(&self) -> DateTime<Utc> {
        let real = real_time();
        shifted(real, self.offset.load(Ordering::Relaxed)).unwrap_or(real)
    }

    /// Monotonic time: includes the steps of the sandbox clock, and no step of the system clock.
    fn monotonic(&self) -> Option<TimeDelta> {
        let offset = TimeDelta::try_milliseconds(self.offset.load(Ordering::Relaxed))?;
        TimeDelta::from_std(START.elapsed()).ok()?.checked_add(&offset)
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the clock that everyone else asks")]
fn real_time() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(3)
}

/// Returns `real` plus the offset, if representable.
fn shifted(real: DateTime<Utc>, offset: i64) -> Option<DateTime<Utc>> {
    let shown = real.checked_add_signed(TimeDelta::try_milliseconds(offset)?)?;
    (1..=MovableClock::LAST_YEAR).contains(&shown.year()).then_some(shown)
}

/// Replaces the file as a whole: a crash leaves the old offset or the new one.
fn keep(path: &Path, offset: i64) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = File::create(&draft)?;
    writeln!(file, "{offset}")?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    File::open(path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new(".")))?.sync_all()
}

/// The clock was not moved.
#[derive(Debug, thiserror::Error)]
pub enum ClockMoveError {
    /// The time is not representable.
    #[error("the clock cannot show that time")]
    OutOfRange,
    /// The offset could not be stored.
    #[error("the clock's file cannot be written")]
    NotKept(#[from] io::Error),
}

/// The clock's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClockFileError {
    /// The file cannot be read.
    #[error("the clock's file cannot be read")]
    Unreadable(#[from] io::Error),
    /// The file does not contain an offset.
    #[error("the clock's file does not hold an offset in milliseconds")]
    Damaged,
}
