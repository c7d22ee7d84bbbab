//! Pauses between the attempts of an operation that is retried.

use chrono::{DateTime, TimeDelta, Utc};

/// Retry schedule. Failed attempts count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// One pause for each failed attempt. No attempt follows the last pause.
    Table(&'static [TimeDelta]),
    /// Like a table, but the last pause repeats without end.
    Repeating(&'static [TimeDelta]),
    /// Exponential backoff without end: each pause is twice as long as the one before, up to `max`.
    Exponential {
        /// Pause after the first failed attempt.
        initial: TimeDelta,
        /// Longest pause.
        max: TimeDelta,
    },
}

impl Backoff {
    /// Returns the pause after `failures` failed attempts; `None` if no attempt follows.
    pub fn pause(&self, failures: u32) -> Option<TimeDelta> {
        let earlier = failures.saturating_sub(1);
        let index = usize::try_from(earlier).unwrap_or(usize::MAX);
        match *self {
            Self::Table(pauses) => pauses.get(index).copied(),
            Self::Repeating(pauses) => pauses.get(index).or(pauses.last()).copied(),
            Self::Exponential { initial, max } => {
                let factor = 1_i32.checked_shl(earlier).filter(|factor| *factor > 0);
                Some(factor.and_then(|factor| initial.checked_mul(factor)).map_or(max, |pause| pause.min(max)))
            }
        }
    }

    /// Returns the time of the attempt after `failures` failed ones, of which the last was at `now`; `None` if no attempt
    /// follows.
    pub fn next(&self, failures: u32, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.pause(failures).and_then(|pause| now.checked_add_signed(pause))
    }
}
