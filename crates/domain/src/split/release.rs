//! Release of reserved funds, by command or at the end of the window; retried until it succeeds.

use chrono::{DateTime, Utc};

use super::{Call, Part, PartDoubt, PartHold, PartStage, PartState, PartTrigger, ReleaseCause, Split, SplitStatus};
use crate::{AttemptId, Conflict, Event, EventKind, payment::Verification};

/// Outcome of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseOutcome {
    /// The funds are free.
    Released,
    /// There is no such reservation any more.
    HoldGone,
    /// Too late: the money was captured.
    AlreadyCaptured,
    /// Refused for another reason.
    Refused,
    /// The outcome is unknown.
    Ambiguous,
    /// The request provably never left.
    NotSubmitted,
}

impl Split {
    /// Releases the parts that are not captured.
    pub(crate) fn release(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        if self.is_in_doubt() {
            return Err(Conflict::PaymentAwaitingVerification);
        }
        if self.status() == SplitStatus::Expired {
            return Err(Conflict::CheckoutWindowClosed);
        }
        if self.all(&[PartState::Succeeded, PartState::Released]) {
            return Err(Conflict::PaymentSplitComplete);
        }
        if self.any(&[PartState::Capturing, PartState::Releasing, PartState::Processing]) {
            return Err(Conflict::PaymentSplitLocked);
        }
        self.give_up(now)
    }

    /// Cancels the sale without a captured part.
    pub(crate) fn cancel(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        if self.is_in_doubt() {
            return Err(Conflict::PaymentAwaitingVerification);
        }
        if self.any(&[PartState::Processing]) {
            return Err(Conflict::PaymentMethodAlreadyInProgress);
        }
        match self.status() {
            SplitStatus::Open | SplitStatus::PartiallyAuthorized | SplitStatus::Authorized => self.give_up(now),
            _ => Err(Conflict::PaymentNotEditable),
        }
    }

    fn give_up(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let mut events = Vec::new();
        for part in &mut self.state.parts {
            let stage = match part.stage().clone() {
                PartStage::Authorized(hold) => releasing(hold, ReleaseCause::Command, now),
                PartStage::Unpaid | PartStage::Declined { .. } | PartStage::Expired { .. } => {
                    PartStage::Released { at: now }
                }
                _ => continue,
            };
            events.extend(part.step(PartTrigger::ReleaseRequested, stage)?);
        }
        Ok(events)
    }

    /// Undoes a release without a sent call.
    pub(crate) fn withdraw_release(&mut self, before: &Self) -> Result<(), Conflict> {
        let is_undone = |(now, then): (&Part, &Part)| match (now.stage(), then.stage()) {
            (
                PartStage::Releasing { hold, cause: ReleaseCause::Command, call: Call::Due { .. }, .. },
                PartStage::Authorized(held),
            ) => hold == held,
            (
                PartStage::Released { .. },
                PartStage::Unpaid | PartStage::Declined { .. } | PartStage::Expired { .. },
            ) => true,
            (now, then) => now == then,
        };
        let is_same_bill = self.parts().len() == before.parts().len();
        if !is_same_bill || !self.parts().iter().zip(before.parts()).all(is_undone) {
            return Err(Conflict::PaymentSplitLocked);
        }
        self.clone_from(before);
        Ok(())
    }

    pub(crate) fn apply_release(
        &mut self,
        attempt: &AttemptId,
        outcome: ReleaseOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        use ReleaseOutcome as A;
        let part = self.in_flight(attempt)?;
        let (hold, cause, call) = match part.stage().clone() {
            PartStage::Releasing { hold, cause, call, trouble } => (hold, cause, Some((call, trouble))),
            PartStage::Verifying(PartDoubt::Release(hold, cause, _)) => (hold, cause, None),
            _ => return Err(Conflict::PaymentNotEditable),
        };
        let event = match (outcome, call) {
            (A::Released | A::HoldGone, _) => part.step(cause.gone(), cause.gone_stage(now)),
            (A::AlreadyCaptured, _) => part.step(PartTrigger::Captured, PartStage::Succeeded { hold, at: now }),
            // A look-up finds the reason of the refusal.
            (A::Refused | A::Ambiguous, Some((call, trouble))) => {
                part.step(PartTrigger::Ambiguous, in_doubt(hold, cause, call, trouble, now))
            }
            (A::NotSubmitted, Some((call, trouble))) => {
                let before = trouble.unwrap_or_else(|| doubt_about(&hold, call, None, now));
                let trouble = before.after_look_up(false, now);
                let escalated = escalation(&before, &trouble);
                let call = Call::Due { at: trouble.next_check_at };
                let stage = PartStage::Releasing { hold, cause, call, trouble: Some(trouble) };
                part.step(PartTrigger::StillHeld, stage).map(|_| escalated)
            }
            // The part is in doubt already.
            (A::Refused | A::Ambiguous | A::NotSubmitted, None) => Ok(None),
        }?;
        Ok(event.into_iter().collect())
    }

    /// Records that the provider reports the funds as released.
    pub(crate) fn hold_gone(&mut self, hold: &AttemptId, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let is_late = self.has_ended(now);
        let held = self.state.parts.iter_mut().find(|it| it.stage().hold().is_some_and(|it| it.attempt == *hold));
        let Some(part) = held else { return Ok(Vec::new()) };
        let event = match part.stage() {
            PartStage::Authorized(_) if is_late => {
                part.step(PartTrigger::LapsedTooLate, PartStage::Expired { at: now })?
            }
            PartStage::Authorized(_) => part.step(PartTrigger::Lapsed, PartStage::Unpaid)?,
            PartStage::Releasing { cause, .. } | PartStage::Verifying(PartDoubt::Release(_, cause, _)) => {
                let cause = *cause;
                part.step(cause.gone(), cause.gone_stage(now))?
            }
            // The capture's own response or look-up decides.
            _ => None,
        };
        Ok(event.into_iter().collect())
    }
}

pub(super) fn expiring(hold: PartHold, now: DateTime<Utc>) -> PartStage {
    releasing(hold, ReleaseCause::Expiry, now)
}

fn releasing(hold: PartHold, cause: ReleaseCause, now: DateTime<Utc>) -> PartStage {
    PartStage::Releasing { hold, cause, call: Call::Due { at: now }, trouble: None }
}

/// Returns the stage of a release with an unknown outcome.
pub(super) fn in_doubt(
    hold: PartHold,
    cause: ReleaseCause,
    call: Call,
    trouble: Option<Verification>,
    now: DateTime<Utc>,
) -> PartStage {
    let verification = doubt_about(&hold, call, trouble, now);
    PartStage::Verifying(PartDoubt::Release(hold, cause, verification))
}

fn doubt_about(hold: &PartHold, call: Call, trouble: Option<Verification>, now: DateTime<Utc>) -> Verification {
    let (attempt, since) = match call {
        Call::Open { attempt, since } => (attempt, since),
        Call::Due { at } => (hold.attempt.clone(), at),
    };
    match trouble {
        Some(so_far) => so_far.for_attempt(attempt, since, now),
        None => Verification::begin(attempt, since, now),
    }
}

/// A person is called once.
pub(super) fn escalation(before: &Verification, after: &Verification) -> Option<Event> {
    let is_newly_escalated = after.is_escalated && !before.is_escalated;
    is_newly_escalated.then(|| Event::new(EventKind::PaymentVerificationEscalated))
}
