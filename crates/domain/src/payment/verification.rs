//! Verification of unknown outcomes: times of look-ups, proof by "not found", and escalation.

use chrono::{DateTime, TimeDelta, Utc};

use crate::AttemptId;

/// Progress of the reconciliation of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The attempt in doubt.
    pub attempt: AttemptId,
    /// Time of the submission.
    pub submitted_at: DateTime<Utc>,
    /// Time of the first unknown outcome.
    pub started_at: DateTime<Utc>,
    /// Time of the next look-up.
    pub next_check_at: DateTime<Utc>,
    /// Number of look-ups.
    pub checks: u32,
    /// Number of "not found" responses that were late enough to count.
    pub negatives: u32,
    /// Whether a person was called.
    pub is_escalated: bool,
}

/// Schedule of the look-ups: in the first hour at fixed times after the start of the verification, then hourly for a day,
/// then every six hours until an operator closes the case.
const FIRST_LOOK_UPS: [TimeDelta; 6] = [
    TimeDelta::seconds(15),
    TimeDelta::minutes(1),
    TimeDelta::minutes(3),
    TimeDelta::minutes(10),
    TimeDelta::minutes(30),
    TimeDelta::hours(1),
];

impl Verification {
    /// A "not found" this soon after the submission may only mean that the provider is slow.
    pub const COUNTING_DELAY: TimeDelta = TimeDelta::seconds(120);
    /// Before this, no number of "not found" is proof.
    pub const SETTLE_DELAY: TimeDelta = TimeDelta::minutes(10);
    /// The look-ups needed before a "not found" is proof.
    pub const SETTLE_CHECKS: u32 = 3;
    /// The look-ups that must have found no transaction.
    pub const SETTLE_NEGATIVES: u32 = 2;
    /// After as many look-ups without a result a person is called.
    pub const ESCALATION_CHECKS: u32 = 6;
    /// After this long without a result a person is called.
    pub const ESCALATION_DELAY: TimeDelta = TimeDelta::hours(6);

    /// Begins the verification of `attempt`.
    pub fn begin(attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let mut verification = Self {
            attempt,
            submitted_at,
            started_at: now,
            next_check_at: now,
            checks: 0,
            negatives: 0,
            is_escalated: false,
        };
        verification.next_check_at = verification.due_after(now);
        verification
    }

    /// Returns the verification after one more look-up without a result.
    #[must_use]
    pub fn after_look_up(&self, is_not_found: bool, now: DateTime<Utc>) -> Self {
        let mut checked = self.clone();
        checked.checks = self.checks.saturating_add(1);
        if is_not_found && now.signed_duration_since(self.submitted_at) >= Self::COUNTING_DELAY {
            checked.negatives = self.negatives.saturating_add(1);
        }
        let waited = now.signed_duration_since(self.started_at);
        checked.is_escalated =
            self.is_escalated || checked.checks >= Self::ESCALATION_CHECKS || waited >= Self::ESCALATION_DELAY;
        checked.next_check_at = checked.due_after(now);
        checked
    }

    /// Returns the verification of another attempt on the same schedule. Earlier look-ups prove no result for the new
    /// attempt.
    #[must_use]
    pub(crate) fn for_attempt(&self, attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let mut restarted = Self { attempt, submitted_at, negatives: 0, ..self.clone() };
        restarted.next_check_at = restarted.due_after(now);
        restarted
    }

    /// Whether the last look-up proves that no transaction was executed.
    pub fn is_settled(&self, now: DateTime<Utc>) -> bool {
        now.signed_duration_since(self.submitted_at) >= Self::SETTLE_DELAY
            && self.checks >= Self::SETTLE_CHECKS
            && self.negatives >= Self::SETTLE_NEGATIVES
    }

    /// The first scheduled look-up after `now`.
    fn due_after(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let waited = now.signed_duration_since(self.started_at);
        if let Some(offset) = FIRST_LOOK_UPS.into_iter().find(|&offset| offset > waited) {
            return self.started_at.checked_add_signed(offset).unwrap_or(now);
        }
        let pause = if waited < TimeDelta::hours(24) { TimeDelta::hours(1) } else { TimeDelta::hours(6) };
        now.checked_add_signed(pause).unwrap_or(now)
    }
}
