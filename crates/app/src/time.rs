//! Arithmetic on times that never overflows, and the lease of a provider call.

use chrono::{DateTime, TimeDelta, Utc};

/// How long the caller of a provider may take before others take the attempt for lost.
const CALL_LEASE: TimeDelta = TimeDelta::seconds(120);

/// Until when a call that begins now is nobody else's business.
pub(crate) fn call_lease(now: DateTime<Utc>) -> DateTime<Utc> {
    later(now, CALL_LEASE)
}

/// Returns the time `by` after `time`; `time` itself if there is no such time.
pub(crate) fn later(time: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    time.checked_add_signed(by).unwrap_or(time)
}

/// Returns the time `by` before `time`; `time` itself if there is no such time.
pub(crate) fn earlier(time: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    time.checked_sub_signed(by).unwrap_or(time)
}
