//! When a provider that cannot be reached is no longer asked, and when it is asked again.

use chrono::{DateTime, TimeDelta, Utc};

/// Stands between us and a provider, for one account.
///
/// Only what provably never reached the provider counts against it: an answer that was lost may have
/// been an approval, and says nothing about whether the next one will be. So many in a row open the
/// breaker for a while; then a single call tries, and its end decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breaker {
    /// Calls go through, and the last one reached the provider.
    #[default]
    Healthy,
    /// Calls go through; so many in a row did not reach the provider.
    Failing {
        /// How many.
        failures: u32,
    },
    /// No call goes through until then.
    Open {
        /// Until when.
        until: DateTime<Utc>,
        /// For how long it was opened.
        pause: TimeDelta,
    },
    /// One call tries, which is given up at that time.
    Trying {
        /// When another may try.
        until: DateTime<Utc>,
        /// For how long it was opened before.
        pause: TimeDelta,
    },
}

impl Breaker {
    /// So many calls in a row that never reached the provider open it.
    pub const FAILURES: u32 = 5;
    /// For how long it is opened first.
    pub const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(10);
    /// For how long at most: each time that a try fails it is twice as long.
    pub const LONGEST_PAUSE: TimeDelta = TimeDelta::seconds(80);
    /// As long as any call may take. What tries and is not heard of until then is forgotten.
    pub const TRY: TimeDelta = TimeDelta::seconds(130);

    /// Whether a call may be made now, without making it.
    pub fn admits(self, now: DateTime<Utc>) -> bool {
        match self {
            Self::Healthy | Self::Failing { .. } => true,
            // No pause is longer than a try: a wrong clock set an end that is further ahead.
            Self::Open { until, .. } | Self::Trying { until, .. } => until <= now || until > after(now, Self::TRY),
        }
    }

    /// The breaker as a call begins; `None` if it may not.
    #[must_use]
    pub fn begin(self, now: DateTime<Utc>) -> Option<Self> {
        if !self.admits(now) {
            return None;
        }
        Some(match self {
            Self::Healthy | Self::Failing { .. } => self,
            Self::Open { pause, .. } | Self::Trying { pause, .. } => {
                Self::Trying { until: after(now, Self::TRY), pause }
            }
        })
    }

    /// The breaker after a call that reached the provider, whatever that said.
    #[must_use]
    pub const fn reached(self) -> Self {
        Self::Healthy
    }

    /// The breaker after a call that provably never reached the provider.
    #[must_use]
    pub fn missed(self, now: DateTime<Utc>) -> Self {
        let failures = match self {
            Self::Healthy => 1,
            Self::Failing { failures } => failures.saturating_add(1),
            // It began before the breaker opened, and says nothing new.
            Self::Open { .. } => return self,
            Self::Trying { pause, .. } => {
                let longer = pause.checked_mul(2).unwrap_or(Self::LONGEST_PAUSE).min(Self::LONGEST_PAUSE);
                return Self::Open { until: after(now, longer), pause: longer };
            }
        };
        if failures < Self::FAILURES {
            return Self::Failing { failures };
        }
        Self::Open { until: after(now, Self::FIRST_PAUSE), pause: Self::FIRST_PAUSE }
    }

    /// Whether calls are held back, but for one that tries.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open { .. } | Self::Trying { .. })
    }
}

fn after(now: DateTime<Utc>, pause: TimeDelta) -> DateTime<Utc> {
    now.checked_add_signed(pause).unwrap_or(now)
}
