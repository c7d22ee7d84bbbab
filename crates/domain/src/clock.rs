//! Whether the system clock can be trusted.
//!
//! A process with a wrong clock expires open payments, sweeps rows that are still needed, and treats reservations as
//! lapsed. So the process compares its clock with another one, and makes no change that depends on the time while they
//! differ.

use chrono::{DateTime, TimeDelta, Utc};

/// Tolerance: two clocks that differ by more are out of step.
pub const TOLERANCE: TimeDelta = TimeDelta::seconds(60);

/// Time reference for a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeReference {
    /// The reading of a second clock.
    Clock(DateTime<Utc>),
    /// Without a second clock: the newest stored instant. A clock that shows an earlier time was set back.
    NewestStored(Option<DateTime<Utc>>),
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skew {
    /// How far the clock is ahead of the second one; negative if behind.
    ToClock(TimeDelta),
    /// How far the clock is ahead of the newest stored instant; negative if behind.
    ToStored(TimeDelta),
}

/// Why a clock is not trusted. `Display` states the fault in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockFault {
    /// The clock is ahead of the second clock.
    #[error("the system clock is {} s ahead of the database's clock", .0.num_seconds())]
    Ahead(TimeDelta),
    /// The clock is behind the second clock.
    #[error("the system clock is {} s behind the database's clock", .0.num_seconds())]
    Behind(TimeDelta),
    /// The clock is behind the newest stored instant.
    #[error("the system clock is {} s behind the newest stored instant", .0.num_seconds())]
    BehindStored(TimeDelta),
    /// The clock was not compared yet.
    #[error("the system clock was not compared with the database's clock yet")]
    NotCompared,
}

impl TimeReference {
    /// Returns the skew of a clock that showed `received` when this reference arrived after `round_trip`. Returns
    /// `None` if the reference has no instant yet, or the round trip exceeds the tolerance.
    pub fn compare(self, received: DateTime<Utc>, round_trip: TimeDelta) -> Option<Skew> {
        if round_trip > TOLERANCE {
            return None;
        }
        let shown_at = received.checked_sub_signed(round_trip.checked_div(2)?)?;
        match self {
            Self::Clock(there) => Some(Skew::ToClock(shown_at.signed_duration_since(there))),
            Self::NewestStored(newest) => Some(Skew::ToStored(received.signed_duration_since(newest?))),
        }
    }
}

impl Skew {
    /// Returns the skew after the clock was set ahead by `step` since the comparison; a negative step sets the clock
    /// back.
    #[must_use]
    pub fn after_step(self, step: TimeDelta) -> Self {
        let moved = |skew: TimeDelta| skew.checked_add(&step).unwrap_or(skew);
        match self {
            Self::ToClock(skew) => Self::ToClock(moved(skew)),
            Self::ToStored(skew) => Self::ToStored(moved(skew)),
        }
    }

    /// Returns why the clock is not trusted; `None` for a trusted clock.
    pub fn fault(self) -> Option<ClockFault> {
        match self {
            Self::ToClock(skew) if skew > TOLERANCE => Some(ClockFault::Ahead(skew)),
            Self::ToClock(skew) if skew < -TOLERANCE => Some(ClockFault::Behind(-skew)),
            Self::ToStored(skew) if skew < -TOLERANCE => Some(ClockFault::BehindStored(-skew)),
            Self::ToClock(_) | Self::ToStored(_) => None,
        }
    }
}
