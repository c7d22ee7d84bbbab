//! Orphaned attempts: looked up after their payment has continued, and reversed if they took money.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Payment, Trigger, Verification};
use crate::{AttemptId, Event, EventKind, Split};

/// Attempt whose outcome was unknown when its payment continued.
///
/// After enough look-ups without a result an attempt counts as not executed. This may be wrong, because a request can
/// be delayed for longer than any timeout. So the attempt is looked up a few more times, and money that it took is
/// reversed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrphanedAttempt {
    /// Whether the attempt holds money, and the state of its reversal.
    pub stage: OrphanStage,
    /// The attempt, and the progress of its look-ups or of its reversal. While a reversal may be running, the time of
    /// submission is that of the reversal.
    pub progress: Verification,
}

/// Stage of an orphaned attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrphanStage {
    /// Probably holds no money, and is looked up a few more times.
    Monitored,
    /// Holds money that must be reversed.
    ReversalDue(ReversalReason),
    /// A reversal may be running or done: another may begin only after look-ups have proved that it was not executed.
    Reversing(ReversalReason),
}

/// Why an orphaned attempt is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReversalReason {
    /// Approved after its payment had moved on. The merchant gets an event after the reversal.
    LateApproval,
    /// Other funds replace these. There is no event.
    Replacement,
}

/// Result of a look-up of an orphaned attempt, or of its reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrphanFinding {
    /// Declined or reversed: the attempt holds no money.
    Free,
    /// The attempt has charged or reserved money.
    Taken,
    /// The provider does not know the attempt.
    NotFound,
    /// The provider did not respond, or not about the result of the reversal.
    Unknown,
    /// The reversal provably had no effect.
    NotReversed {
        /// Start of the reversal.
        since: DateTime<Utc>,
    },
}

impl OrphanStage {
    /// Every stage.
    pub const ALL: [Self; 5] = [
        Self::Monitored,
        Self::ReversalDue(ReversalReason::LateApproval),
        Self::ReversalDue(ReversalReason::Replacement),
        Self::Reversing(ReversalReason::LateApproval),
        Self::Reversing(ReversalReason::Replacement),
    ];

    /// Returns why the attempt is reversed; `None` while it probably holds no money.
    pub const fn reversal(self) -> Option<ReversalReason> {
        match self {
            Self::Monitored => None,
            Self::ReversalDue(reason) | Self::Reversing(reason) => Some(reason),
        }
    }
}

impl OrphanedAttempt {
    /// Delays of the look-ups after the payment has moved on. An attempt that none of them finds was not executed.
    const LOOK_UP_DELAYS: [TimeDelta; 3] = [TimeDelta::hours(1), TimeDelta::hours(6), TimeDelta::hours(24)];
    /// Pause after a look-up without a response.
    const PAUSE: TimeDelta = TimeDelta::hours(6);
    /// After this time an operator examines the attempt: by then issuers have released reserved funds.
    pub const LIFE: TimeDelta = TimeDelta::days(7);
    /// Deadline of a reversal, from its start: by then another worker may have looked the attempt up.
    pub const CALL_LIFE: TimeDelta = Split::CALL_LIFE;

    fn monitored(attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let progress = Verification::begin(attempt, submitted_at, now);
        let mut orphan = Self { stage: OrphanStage::Monitored, progress };
        orphan.progress.next_check_at = orphan.next_look_up(now).unwrap_or(now);
        orphan
    }

    /// Returns an orphaned attempt whose reversal is due at once.
    fn to_reverse(attempt: AttemptId, reason: ReversalReason, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let progress = Verification { next_check_at: now, ..Verification::begin(attempt, submitted_at, now) };
        Self { stage: OrphanStage::ReversalDue(reason), progress }
    }

    /// Whether the attempt is known to hold charged or reserved money.
    pub const fn holds_money(&self) -> bool {
        self.stage.reversal().is_some()
    }

    /// Whether a reversal may be under way.
    pub const fn is_reversing(&self) -> bool {
        matches!(self.stage, OrphanStage::Reversing(_))
    }

    fn next_look_up(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut look_ups =
            Self::LOOK_UP_DELAYS.into_iter().filter_map(|it| self.progress.started_at.checked_add_signed(it));
        look_ups.find(|look_up| *look_up > now)
    }

    fn is_too_old(&self, now: DateTime<Utc>) -> bool {
        now.signed_duration_since(self.progress.started_at) >= Self::LIFE
    }

    /// Returns the orphaned attempt after `finding`; `None` if no step is left.
    fn after(&self, finding: OrphanFinding, now: DateTime<Utc>) -> Option<Self> {
        use {OrphanFinding as F, OrphanStage as S};
        let checked = self.progress.after_look_up(finding == F::NotFound, now);
        match (self.stage, finding) {
            (_, F::Free) => None,
            (S::Monitored, F::Taken) => {
                let reason = ReversalReason::LateApproval;
                Some(Self::to_reverse(checked.attempt, reason, checked.submitted_at, now))
            }
            (S::Monitored, F::NotFound | F::Unknown | F::NotReversed { .. }) => {
                let may_retry = finding == F::Unknown && !self.is_too_old(now);
                let retry = now.checked_add_signed(Self::PAUSE).filter(|_| may_retry);
                let next_check_at = self.next_look_up(now).or(retry)?;
                Some(Self { stage: self.stage, progress: Verification { next_check_at, ..checked } })
            }
            (S::ReversalDue(_) | S::Reversing(_), _) if self.is_too_old(now) => None,
            (S::ReversalDue(_), _) => {
                Some(Self { stage: self.stage, progress: self.progress.after_look_up(false, now) })
            }
            (S::Reversing(reason), _) => Some(self.not_reversed(reason, finding, now)),
        }
    }

    /// Returns the attempt after a look-up that did not confirm the reversal.
    ///
    /// The reversal counts as not executed if the provider reports so, or by the rules for any call with an unknown
    /// result: enough look-ups, late enough, do not find it. A provider may report a reversed charge as not found, so
    /// "not found" only means that the money is still there.
    fn not_reversed(&self, reason: ReversalReason, finding: OrphanFinding, now: DateTime<Utc>) -> Self {
        let is_unseen = matches!(finding, OrphanFinding::Taken | OrphanFinding::NotFound);
        let mut progress = self.progress.after_look_up(is_unseen, now);
        let is_settled = is_unseen && progress.is_settled(now);
        if is_settled {
            progress.next_check_at = now;
        }
        let had_no_effect = finding == (OrphanFinding::NotReversed { since: self.progress.submitted_at });
        let stage = if is_settled || had_no_effect { OrphanStage::ReversalDue(reason) } else { self.stage };
        Self { stage, progress }
    }
}

impl Payment {
    /// Returns the orphaned attempts that are not settled.
    pub fn orphans(&self) -> &[OrphanedAttempt] {
        &self.state.orphans
    }

    /// Returns the orphaned attempt that has been due for the longest time.
    pub fn orphan_due(&self, now: DateTime<Utc>) -> Option<&OrphanedAttempt> {
        let due = self.orphans().iter().filter(|orphan| orphan.progress.next_check_at <= now);
        due.min_by_key(|orphan| orphan.progress.next_check_at)
    }

    /// Records an approval after the payment has moved on. Commit this before the reversal.
    ///
    /// `submitted_at` is the time of the submission. Returns `false` if the approval was recorded before.
    pub fn approved_late(&mut self, attempt: &AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        let known = self.state.orphans.iter().position(|orphan| orphan.progress.attempt == *attempt);
        let to_reverse = OrphanedAttempt::to_reverse(attempt.clone(), ReversalReason::LateApproval, submitted_at, now);
        match known.and_then(|position| self.state.orphans.get_mut(position)) {
            Some(orphan) if orphan.holds_money() => return false,
            Some(orphan) => *orphan = to_reverse,
            None => self.state.orphans.push(to_reverse),
        }
        self.touch(now);
        true
    }

    /// Begins the reversal of an orphaned attempt. Commit this before the call to the provider: from here on the
    /// result must be looked up.
    ///
    /// Returns whether the reversal may begin: not while another may have been executed.
    pub fn begin_orphan_reversal(&mut self, attempt: &AttemptId, now: DateTime<Utc>) -> bool {
        let mut orphans = self.state.orphans.iter_mut();
        let Some(orphan) = orphans.find(|orphan| orphan.progress.attempt == *attempt) else { return false };
        let OrphanStage::ReversalDue(reason) = orphan.stage else { return false };
        orphan.stage = OrphanStage::Reversing(reason);
        orphan.progress = orphan.progress.for_attempt(attempt.clone(), now, now);
        self.touch(now);
        true
    }

    /// Records the result of a look-up of an orphaned attempt, or of its reversal. Returns one event
    /// after the reversal, or at the escalation of a failing reversal. An unknown attempt has no event.
    pub fn orphan_found(&mut self, attempt: &AttemptId, finding: OrphanFinding, now: DateTime<Utc>) -> Vec<Event> {
        let is_named = |orphan: &OrphanedAttempt| orphan.progress.attempt == *attempt;
        let Some(position) = self.state.orphans.iter().position(is_named) else { return Vec::new() };
        let before = self.state.orphans.remove(position);
        let after = before.after(finding, now);
        let is_escalated = |orphan: &OrphanedAttempt| orphan.holds_money() && orphan.progress.is_escalated;
        let is_newly_escalated = !is_escalated(&before) && after.as_ref().is_some_and(is_escalated);
        self.state.orphans.extend(after);
        let is_late_approval = before.stage.reversal() == Some(ReversalReason::LateApproval);
        if is_late_approval && finding == OrphanFinding::Free {
            return vec![self.late_approval(now)];
        }
        self.touch(now);
        is_newly_escalated.then(|| Event::new(EventKind::PaymentVerificationEscalated)).into_iter().collect()
    }

    /// Adds an orphaned attempt, which is looked up a few more times while the payment continues.
    pub(crate) fn add_orphan(&mut self, attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) {
        self.state.orphans.push(OrphanedAttempt::monitored(attempt, submitted_at, now));
    }

    /// Records that other funds replace those of the attempt, which is reversed. Commit this before the reversal.
    pub(super) fn orphan_replaced_hold(&mut self, attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) {
        let reason = ReversalReason::Replacement;
        self.state.orphans.push(OrphanedAttempt::to_reverse(attempt, reason, submitted_at, now));
        self.touch(now);
    }

    /// Records a reversed late approval without a change of status. The event also occurs in states without that edge,
    /// as while another card is in flight.
    fn late_approval(&mut self, now: DateTime<Utc>) -> Event {
        let stage = self.stage().clone();
        if self.step(Trigger::LateApproval, stage, now).is_err() {
            self.touch(now);
        }
        Event::new(EventKind::PaymentLateApprovalReversed)
    }
}
