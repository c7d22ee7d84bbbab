//! Whether the system's clock can be trusted.
//!
//! A process whose clock is wrong expires what is open, sweeps what is still needed, and takes reservations for lapsed. So
//! it compares its clock with another one, and does nothing that depends on the time while they differ.

use chrono::{DateTime, TimeDelta, Utc};

/// Two clocks that differ by more are not in step.
pub const TOLERANCE: TimeDelta = TimeDelta::seconds(60);

/// What a clock is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeReference {
    /// What a second clock shows.
    Clock(DateTime<Utc>),
    /// There is no second clock: the newest instant that was stored. A clock that shows an earlier one was set back.
    NewestStored(Option<DateTime<Utc>>),
}

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skew {
    /// So far the clock is ahead of the second one, or behind if negative.
    ToClock(TimeDelta),
    /// So far it is ahead of the newest stored instant, or behind if negative.
    ToStored(TimeDelta),
}

/// Why a clock is not trusted. Each says it in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockFault {
    /// It is ahead of the second clock.
    #[error("the system clock is {} s ahead of the database's clock", .0.num_seconds())]
    Ahead(TimeDelta),
    /// It is behind the second clock.
    #[error("the system clock is {} s behind the database's clock", .0.num_seconds())]
    Behind(TimeDelta),
    /// It is behind what was stored.
    #[error("the system clock is {} s behind the newest stored instant", .0.num_seconds())]
    BehindStored(TimeDelta),
    /// It was not compared yet.
    #[error("the system clock was not compared with the database's clock yet")]
    NotCompared,
}

impl TimeReference {
    /// How far a clock is ahead that showed `received` when this reference arrived, which was on its way for `round_trip`.
    /// `None` where that proves nothing: nothing is stored yet, or the answer took longer than the clocks may differ.
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
    /// The skew after the clock was set ahead by `step`, or back if negative, since the comparison.
    #[must_use]
    pub fn after_step(self, step: TimeDelta) -> Self {
        let moved = |skew: TimeDelta| skew.checked_add(&step).unwrap_or(skew);
        match self {
            Self::ToClock(skew) => Self::ToClock(moved(skew)),
            Self::ToStored(skew) => Self::ToStored(moved(skew)),
        }
    }

    /// Why the clock is not trusted; `None` if it is.
    pub fn fault(self) -> Option<ClockFault> {
        match self {
            Self::ToClock(skew) if skew > TOLERANCE => Some(ClockFault::Ahead(skew)),
            Self::ToClock(skew) if skew < -TOLERANCE => Some(ClockFault::Behind(-skew)),
            Self::ToStored(skew) if skew < -TOLERANCE => Some(ClockFault::BehindStored(-skew)),
            Self::ToClock(_) | Self::ToStored(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    #[test]
    fn clocks_may_differ_by_a_minute_less_half_the_round_trip() {
        let check = |ours: i64, round_trip: i64, fault: Option<ClockFault>| {
            let skew = TimeReference::Clock(at(0)).compare(at(ours), TimeDelta::seconds(round_trip)).unwrap();
            assert_eq!(skew.fault(), fault, "{ours} {round_trip}");
        };

        check(0, 0, None);
        check(60, 0, None);
        check(61, 0, Some(ClockFault::Ahead(TimeDelta::seconds(61))));
        check(65, 10, None);
        check(66, 10, Some(ClockFault::Ahead(TimeDelta::seconds(61))));
        check(-60, 0, None);
        check(-55, 12, Some(ClockFault::Behind(TimeDelta::seconds(61))));
        check(-3600 * 25, 0, Some(ClockFault::Behind(TimeDelta::hours(25))));
        check(86_400 * 402, 1, Some(ClockFault::Ahead(TimeDelta::days(402) - TimeDelta::milliseconds(500))));
    }

    #[test]
    fn without_a_second_clock_only_a_step_back_behind_what_is_stored_is_found() {
        let compare = |newest: Option<i64>, ours: i64| {
            TimeReference::NewestStored(newest.map(at)).compare(at(ours), TimeDelta::zero())
        };

        assert_eq!(compare(None, -86_400), None);
        assert_eq!(compare(Some(0), 86_400).unwrap().fault(), None);
        assert_eq!(compare(Some(0), -60).unwrap().fault(), None);
        let behind = ClockFault::BehindStored(TimeDelta::seconds(61));
        assert_eq!(compare(Some(0), -61).unwrap().fault(), Some(behind));
    }

    #[test]
    fn an_answer_that_took_longer_than_the_tolerance_proves_nothing() {
        assert_eq!(TimeReference::Clock(at(0)).compare(at(500), TimeDelta::seconds(61)), None);
    }

    #[test]
    fn a_step_since_the_comparison_counts_at_once() {
        let skew = TimeReference::Clock(at(0)).compare(at(10), TimeDelta::zero()).unwrap();

        assert_eq!(skew.after_step(TimeDelta::hours(4)).fault(), Some(ClockFault::Ahead(TimeDelta::seconds(14_410))));
        assert_eq!(skew.after_step(TimeDelta::seconds(-20)).fault(), None);
    }
}
