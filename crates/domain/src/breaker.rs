//! Circuit breaker of the calls to a provider.

use chrono::{DateTime, TimeDelta, Utc};

use crate::backoff::Backoff;

/// Circuit breaker of one account at a provider.
///
/// Only calls that provably never reached the provider count as failures: a lost response may have been an approval. After
/// [`FAILURES`](Self::FAILURES) in a row the breaker opens for a pause; then one trial call decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaker {
    /// Calls are allowed.
    Closed {
        /// Failures in a row.
        failures: u32,
    },
    /// Calls are refused.
    Open {
        /// End of the pause.
        until: DateTime<Utc>,
        /// Number of pauses in a row.
        pauses: u32,
    },
    /// One trial call is running; the others are refused.
    HalfOpen {
        /// Timeout of the trial call: then another may try.
        until: DateTime<Utc>,
        /// Number of pauses in a row.
        pauses: u32,
    },
}

impl Default for Breaker {
    fn default() -> Self {
        Self::Closed { failures: 0 }
    }
}

impl Breaker {
    /// Number of failures in a row that open the breaker.
    pub const FAILURES: u32 = 5;
    /// Schedule of the pauses: a trial call that fails doubles the next pause.
    pub const PAUSES: Backoff = Backoff::Exponential { initial: TimeDelta::seconds(10), max: TimeDelta::seconds(80) };
    /// Timeout of the trial call; no call takes longer.
    pub const TRIAL_TIMEOUT: TimeDelta = TimeDelta::seconds(130);

    /// Whether a call is allowed now.
    pub fn admits(self, now: DateTime<Utc>) -> bool {
        match self {
            Self::Closed { .. } => true,
            // An end after the timeout of a trial was set by a wrong clock: no pause is longer.
            Self::Open { until, .. } | Self::HalfOpen { until, .. } => {
                until <= now || until > after(now, Self::TRIAL_TIMEOUT)
            }
        }
    }

    /// Returns the breaker at the start of a call; `None` if the call is refused.
    #[must_use]
    pub fn begin(self, now: DateTime<Utc>) -> Option<Self> {
        if !self.admits(now) {
            return None;
        }
        Some(match self {
            Self::Closed { .. } => self,
            Self::Open { pauses, .. } | Self::HalfOpen { pauses, .. } => {
                Self::HalfOpen { until: after(now, Self::TRIAL_TIMEOUT), pauses }
            }
        })
    }

    /// Returns the breaker after a call that provably never reached the provider.
    #[must_use]
    pub fn failed(self, now: DateTime<Utc>) -> Self {
        let pauses = match self {
            Self::Closed { failures } if failures.saturating_add(1) < Self::FAILURES => {
                return Self::Closed { failures: failures.saturating_add(1) };
            }
            Self::Closed { .. } => 1,
            // The call began before the breaker opened.
            Self::Open { .. } => return self,
            Self::HalfOpen { pauses, .. } => pauses.saturating_add(1),
        };
        Self::Open { until: Self::PAUSES.next(pauses, now).unwrap_or(now), pauses }
    }

    /// Whether calls are refused, except a trial call.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open { .. } | Self::HalfOpen { .. })
    }
}

fn after(now: DateTime<Utc>, pause: TimeDelta) -> DateTime<Utc> {
    now.checked_add_signed(pause).unwrap_or(now)
}
