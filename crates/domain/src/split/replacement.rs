//! Replacement of reserved funds that would lapse before their bill is paid, by the stored card.
//!
//! The new reservation comes first, so that a refusal leaves the old one; then the old one is released as an orphan. A
//! replacement with an unknown outcome is an orphan as well: the part retains the old reservation and does not wait.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Part, PartHold, PartStage, PartState, Replacement, Split, window::SplitWindow};
use crate::AttemptId;

/// Outcome of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacementOutcome {
    /// The funds are reserved once more.
    Approved {
        /// End of the reservation at the issuer.
        valid_until: DateTime<Utc>,
    },
    /// The issuer refused, or requires a challenge.
    Refused,
    /// The outcome is unknown.
    Ambiguous,
    /// The request provably never left.
    NotSubmitted,
}

/// An attempt that a split has moved on without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrphanedReplacement {
    pub(crate) attempt: AttemptId,
    /// Time of the submission.
    pub(crate) since: DateTime<Utc>,
    /// Whether the attempt is known to hold funds.
    pub(crate) is_held: bool,
}

impl Replacement {
    /// Pause after a request that was not sent.
    const PAUSE: TimeDelta = TimeDelta::minutes(5);
    /// Validity of reservations without the cardholder: four days and eighteen hours (Visa), less than with the
    /// cardholder.
    const LIFE: TimeDelta = TimeDelta::hours(114);

    /// Returns the attempt of the stored card, if the funds can be replaced.
    pub const fn card(&self) -> Option<&AttemptId> {
        match self {
            Self::Never => None,
            Self::Due { card, .. } | Self::Open { card, .. } => Some(card),
        }
    }

    /// Returns the end of the validity of funds that are reserved at `now` without their cardholder, if `validity` is
    /// that with the cardholder.
    pub fn valid_until(now: DateTime<Utc>, validity: TimeDelta) -> DateTime<Utc> {
        now.checked_add_signed(validity.min(Self::LIFE)).unwrap_or(now)
    }

    /// Returns the replacement state of a new reservation by `attempt`, with or without a stored card.
    pub(super) fn of_new(attempt: &AttemptId, is_card_stored: bool, warn_at: DateTime<Utc>) -> Self {
        if is_card_stored { Self::Due { at: warn_at, card: attempt.clone() } } else { Self::Never }
    }
}

impl Split {
    /// Whether a bill may be open for longer than the `validity` of reservations. Only then are cards stored.
    pub fn may_outlast(window: SplitWindow, validity: TimeDelta) -> bool {
        let longest = window.length().checked_add(&Self::EXTENSION).and_then(|it| it.checked_add(&SplitWindow::MARGIN));
        longest.is_none_or(|it| validity < it)
    }

    /// Returns when a part's funds are due for replacement; `None` if they last long enough, or cannot be replaced.
    pub(super) fn replacement_due(&self, stage: &PartStage) -> Option<(DateTime<Utc>, AttemptId)> {
        let PartStage::Authorized(hold) = stage else { return None };
        let Replacement::Due { at, card } = &hold.replacement else { return None };
        let needed_until = self.state.expires_at.checked_add_signed(SplitWindow::MARGIN)?;
        let is_needed = !self.state.is_window_over && hold.valid_until < needed_until && *at < hold.valid_until;
        is_needed.then(|| (*at, card.clone()))
    }

    /// Begins the replacement as `attempt`. Returns whether it is due.
    pub(super) fn begin_replacement(&mut self, ordinal: u8, attempt: AttemptId, now: DateTime<Utc>) -> bool {
        let due = self.part(ordinal).and_then(|it| self.replacement_due(it.stage()));
        let Some((_, card)) = due.filter(|(at, _)| *at <= now) else { return false };
        let Some(part) = self.state.parts.iter_mut().find(|it| it.ordinal == ordinal) else { return false };
        let PartStage::Authorized(hold) = part.stage().clone() else { return false };
        if hold.has_lapsed(now) {
            return false;
        }
        let replacement = Replacement::Open { attempt, since: now, card };
        part.stay(PartStage::Authorized(PartHold { replacement, ..hold }));
        true
    }

    /// Applies the outcome of a replacement. Returns the orphaned attempt: the replaced reservation, or the new one if
    /// its outcome is unknown or the part has moved on.
    pub(crate) fn apply_replacement(
        &mut self,
        attempt: &AttemptId,
        outcome: ReplacementOutcome,
        now: DateTime<Utc>,
    ) -> Option<OrphanedReplacement> {
        use ReplacementOutcome as A;
        let is_held = matches!(outcome, A::Approved { .. });
        let waiting = self.state.parts.iter_mut().find_map(|part| {
            let PartStage::Authorized(hold) = part.stage().clone() else { return None };
            match hold.replacement.clone() {
                Replacement::Open { attempt: open, since, card } if open == *attempt => Some((part, hold, since, card)),
                _ => None,
            }
        });
        let Some((part, hold, since, card)) = waiting else {
            // The attempt was an orphan before, and is known to hold funds only now.
            return is_held.then(|| OrphanedReplacement { attempt: attempt.clone(), since: now, is_held });
        };
        let stays = |replacement| PartStage::Authorized(PartHold { replacement, ..hold.clone() });
        match outcome {
            A::Approved { valid_until } => {
                let new = PartHold {
                    attempt: attempt.clone(),
                    authorized_at: now,
                    valid_until,
                    is_warned: false,
                    replacement: Replacement::Never,
                };
                let replacement = Replacement::Due { at: new.warn_at(), card };
                part.stay(PartStage::Authorized(PartHold { replacement, ..new }));
                Some(OrphanedReplacement { attempt: hold.attempt, since: hold.authorized_at, is_held: true })
            }
            A::Refused => {
                part.stay(stays(Replacement::Never));
                None
            }
            A::Ambiguous => {
                part.stay(stays(Replacement::Never));
                Some(OrphanedReplacement { attempt: attempt.clone(), since, is_held: false })
            }
            A::NotSubmitted => {
                let at = now.checked_add_signed(Replacement::PAUSE).unwrap_or(now);
                part.stay(stays(Replacement::Due { at, card }));
                None
            }
        }
    }

    /// Replacements with a lost caller are not waited for.
    pub(super) fn end_replacements(&mut self, now: DateTime<Utc>) {
        for part in &mut self.state.parts {
            let PartStage::Authorized(hold) = part.stage().clone() else { continue };
            if let Replacement::Open { since, .. } = hold.replacement
                && now.signed_duration_since(since) >= Self::CALL_LIFE
            {
                part.stay(PartStage::Authorized(PartHold { replacement: Replacement::Never, ..hold }));
            }
        }
    }

    /// Whether the card that the provider stored at `attempt` may still be needed.
    pub fn needs_card(&self, attempt: &AttemptId) -> bool {
        let may_renew = [PartState::Authorized, PartState::Capturing, PartState::VerifyingCapture];
        let mut holding = self.parts().iter().filter(|it| may_renew.contains(&it.part_state()));
        holding.any(|it| it.stage().hold().and_then(|it| it.replacement.card()) == Some(attempt))
    }

    /// Returns the pending replacements of `before` whose parts have moved on, as orphans.
    pub(crate) fn orphan_replacements(&mut self, before: &Self) -> Vec<OrphanedReplacement> {
        for part in &mut self.state.parts {
            part.leave_replacement();
        }
        let waiting: Vec<_> = self.parts().iter().filter_map(open).collect();
        let were = before.parts().iter().filter_map(open);
        were.filter(|it| !waiting.contains(it))
            .map(|(attempt, since)| OrphanedReplacement { attempt, since, is_held: false })
            .collect()
    }
}

/// The replacement that a part waits for, and since when.
fn open(part: &Part) -> Option<(AttemptId, DateTime<Utc>)> {
    match part.stage() {
        PartStage::Authorized(PartHold { replacement: Replacement::Open { attempt, since, .. }, .. }) => {
            Some((attempt.clone(), *since))
        }
        _ => None,
    }
}
