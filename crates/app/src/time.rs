//! Arithmetic on times that never overflows, and the leases of provider calls and documents.

use chrono::{DateTime, TimeDelta, Utc};

/// Lease of a document with a step that is due at once.
const ISSUANCE_LEASE: TimeDelta = TimeDelta::seconds(60);
/// Lease of a provider call: afterwards other workers look the attempt up.
const CALL_LEASE: TimeDelta = TimeDelta::seconds(120);

/// Returns the end of the lease of a call that begins now.
pub(crate) fn call_lease(now: DateTime<Utc>) -> DateTime<Utc> {
    later(now, CALL_LEASE)
}

/// Returns the end of the lease of a document with a step that is due now.
pub(crate) fn issuance_lease(now: DateTime<Utc>) -> DateTime<Utc> {
    later(now, ISSUANCE_LEASE)
}

/// Returns the time `by` after `time`; `time` itself if there is no such time.
pub(crate) fn later(time: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    time.checked_add_signed(by).unwrap_or(time)
}

/// Returns the time `by` before `time`; `time` itself if there is no such time.
pub(crate) fn earlier(time: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    time.checked_sub_signed(by).unwrap_or(time)
}
