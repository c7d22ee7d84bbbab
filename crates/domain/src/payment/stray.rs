//! Attempts that their payment has moved on without: watched for a while, and undone if they took money after all.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Payment, Trigger, Verification};
use crate::{AttemptId, Event, EventKind, Split};

/// An attempt that its payment has moved on without.
///
/// That a provider knows nothing of an attempt is believed in the end, and may be wrong even then: a call can be under
/// way for longer than anybody waits. So it is looked up some more times, and what it has taken is given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Whether it is known to have taken money, or to have reserved it, which is then undone.
    pub is_approved: bool,
    /// Whether other funds were reserved in place of its own, so that nobody need hear when they are given back.
    pub is_replaced: bool,
    /// Whether a call that undoes it may be under way, or may have been made: until look-ups have settled that it was not,
    /// there is no other.
    pub is_undoing: bool,
    /// Which attempt it is, and how far the look-ups have come, or the tries to undo it. Since one of those began, that is
    /// what was submitted.
    pub progress: Verification,
}

/// What is known of a stray attempt after it was asked about, or undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrayFinding {
    /// It holds nothing: it was declined, or undone.
    Free,
    /// It has taken money, or reserved it.
    Taken,
    /// The provider knows nothing of it.
    Nothing,
    /// The provider could not be asked, or did not say what came of the call that undoes it.
    Unknown,
    /// The call that was to undo it provably did nothing.
    NotUndone {
        /// When it began.
        since: DateTime<Utc>,
    },
}

impl Stray {
    /// When an attempt is looked up after nobody waits for it any more. What is not there then never comes.
    const WATCHES: [TimeDelta; 3] = [TimeDelta::hours(1), TimeDelta::hours(6), TimeDelta::hours(24)];
    /// Who does not answer about it is asked again after so long.
    const PAUSE: TimeDelta = TimeDelta::hours(6);
    /// After so long it is left to a person: issuers have given reserved funds free by then.
    pub const LIFE: TimeDelta = TimeDelta::days(7);
    /// A call that undoes it is not made any more so long after it began: by then others may have looked.
    pub const CALL_LIFE: TimeDelta = Split::CALL_LIFE;

    fn watched(attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let progress = Verification::begin(attempt, submitted_at, now);
        let mut it = Self { is_approved: false, is_replaced: false, is_undoing: false, progress };
        it.progress.next_check_at = it.watch_after(now).unwrap_or(now);
        it
    }

    /// To be undone at once.
    fn approved(attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let progress = Verification { next_check_at: now, ..Verification::begin(attempt, submitted_at, now) };
        Self { is_approved: true, is_replaced: false, is_undoing: false, progress }
    }

    fn watch_after(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut watches = Self::WATCHES.into_iter().filter_map(|it| self.progress.started_at.checked_add_signed(it));
        watches.find(|it| *it > now)
    }

    fn is_too_old(&self, now: DateTime<Utc>) -> bool {
        now.signed_duration_since(self.progress.started_at) >= Self::LIFE
    }

    /// What is left to do about it after `finding`; `None` if nothing is.
    fn after(&self, finding: StrayFinding, now: DateTime<Utc>) -> Option<Self> {
        use StrayFinding as F;
        let asked = self.progress.asked(finding == F::Nothing, now);
        match (self.is_approved, finding) {
            (_, F::Free) => None,
            (false, F::Taken) => Some(Self::approved(asked.attempt, asked.submitted_at, now)),
            (true, _) => Some(self.not_undone(finding, now)).filter(|it| !it.is_too_old(now)),
            (false, F::Nothing | F::Unknown | F::NotUndone { .. }) => {
                let again =
                    now.checked_add_signed(Self::PAUSE).filter(|_| finding == F::Unknown && !self.is_too_old(now));
                let next_check_at = self.watch_after(now).or(again)?;
                Some(Self { progress: Verification { next_check_at, ..asked }, ..self.clone() })
            }
        }
    }

    /// Still to be undone after `finding`. That the call did nothing is believed if it was said, or by the rules for any
    /// call of which nobody knows: nothing is seen of it, late enough and often enough. Of a charge that was given back
    /// providers may say that they know nothing, so that this says no more than that it is still there.
    fn not_undone(&self, finding: StrayFinding, now: DateTime<Utc>) -> Self {
        let is_unseen = self.is_undoing && matches!(finding, StrayFinding::Taken | StrayFinding::Nothing);
        let mut after = Self { progress: self.progress.asked(is_unseen, now), ..self.clone() };
        if is_unseen && after.progress.is_settled(now) {
            (after.is_undoing, after.progress.next_check_at) = (false, now);
        } else if finding == (StrayFinding::NotUndone { since: self.progress.submitted_at }) {
            after.is_undoing = false;
        }
        after
    }
}

impl Payment {
    /// The attempts that the payment has moved on without, as long as somebody must look after them.
    pub fn strays(&self) -> &[Stray] {
        &self.state.strays
    }

    /// The stray attempt that has waited longest for somebody to look after it.
    pub fn stray_due(&self, now: DateTime<Utc>) -> Option<&Stray> {
        let due = self.strays().iter().filter(|it| it.progress.next_check_at <= now);
        due.min_by_key(|it| it.progress.next_check_at)
    }

    /// An attempt was approved although the payment has moved on without it. Commit this before anybody undoes it.
    ///
    /// `submitted_at` is when it was sent. Says whether that is news.
    pub fn approved_late(&mut self, attempt: &AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        let known = self.state.strays.iter().position(|it| it.progress.attempt == *attempt);
        let stray = Stray::approved(attempt.clone(), submitted_at, now);
        match known.and_then(|it| self.state.strays.get_mut(it)) {
            Some(it) if it.is_approved => return false,
            Some(it) => *it = stray,
            None => self.state.strays.push(stray),
        }
        self.touch(now);
        true
    }

    /// What a stray attempt has taken is about to be given back. Commit this before the provider hears of it: from here on
    /// it must be asked whether it did.
    ///
    /// Says whether it may be: not while another such call may yet have been made.
    pub fn undo_stray(&mut self, attempt: &AttemptId, now: DateTime<Utc>) -> bool {
        let is_it = |it: &&mut Stray| it.progress.attempt == *attempt && it.is_approved && !it.is_undoing;
        let Some(stray) = self.state.strays.iter_mut().find(is_it) else { return false };
        stray.is_undoing = true;
        stray.progress = stray.progress.about(attempt.clone(), now, now);
        self.touch(now);
        true
    }

    /// A stray attempt was asked about, or was to be undone. Says what to tell: that it is undone, or, once, that it
    /// cannot be. Of an attempt that nobody looks after any more nothing is told.
    pub fn stray_found(&mut self, attempt: &AttemptId, finding: StrayFinding, now: DateTime<Utc>) -> Vec<Event> {
        let Some(place) = self.state.strays.iter().position(|it| it.progress.attempt == *attempt) else {
            return Vec::new();
        };
        let before = self.state.strays.remove(place);
        let after = before.after(finding, now);
        let is_escalated = |it: &Stray| it.is_approved && it.progress.is_escalated;
        let is_news = !is_escalated(&before) && after.as_ref().is_some_and(is_escalated);
        self.state.strays.extend(after);
        if before.is_approved && !before.is_replaced && finding == StrayFinding::Free {
            return vec![self.late_approval(now)];
        }
        self.touch(now);
        is_news.then(|| Event::new(EventKind::PaymentVerificationEscalated)).into_iter().collect()
    }

    /// Nobody waits for the attempt any more.
    pub(crate) fn watch(&mut self, attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) {
        self.state.strays.push(Stray::watched(attempt, submitted_at, now));
    }

    /// Other funds are reserved in place of those of the attempt, which are given back. Commit this before anybody does.
    pub(super) fn replaced(&mut self, attempt: AttemptId, submitted_at: DateTime<Utc>, now: DateTime<Utc>) {
        self.state.strays.push(Stray { is_replaced: true, ..Stray::approved(attempt, submitted_at, now) });
        self.touch(now);
    }

    /// What a dead attempt did is undone: said, without a change of status. Where that is no edge, as while another
    /// card is under way, it happens beside the payment's life.
    fn late_approval(&mut self, now: DateTime<Utc>) -> Event {
        let stage = self.stage().clone();
        if self.step(Trigger::LateApproval, stage, now).is_err() {
            self.touch(now);
        }
        Event::new(EventKind::PaymentLateApprovalReversed)
    }
}
