//! Capture of the parts, and its outcomes.

use chrono::{DateTime, Utc};

use super::{Call, PartDoubt, PartHold, PartStage, PartState, PartTrigger, Split, SplitStatus, authorize::Verdict};
use crate::{
    AttemptId, Conflict, Event,
    payment::{DeclineCode, Verification},
};

/// Outcome of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureOutcome {
    /// The money moved, now or before.
    Captured,
    /// Refused; the funds are reserved as before.
    Refused,
    /// Refused, because the reservation is gone.
    HoldGone,
    /// The outcome is unknown.
    Ambiguous,
    /// The request provably never left.
    NotSubmitted,
}

impl Split {
    /// Every part that is reserved is to be captured.
    pub(crate) fn capture(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        if self.is_in_doubt() {
            return Err(Conflict::PaymentAwaitingVerification);
        }
        match self.status() {
            SplitStatus::Succeeded => return Err(Conflict::PaymentSplitComplete),
            SplitStatus::Authorized => {}
            // Captured parts stay paid: the rest may be captured again.
            SplitStatus::PartiallyPaid if self.any(&[PartState::Authorized]) => {}
            _ => return Err(Conflict::PaymentSplitNotCapturable),
        }
        let is_lapsed = |it: &PartStage| matches!(it, PartStage::Authorized(hold) if hold.has_lapsed(now));
        if self.parts().iter().any(|it| is_lapsed(it.stage())) {
            return Err(Conflict::PaymentSplitNotCapturable);
        }
        let mut events = Vec::new();
        for part in &mut self.state.parts {
            if let PartStage::Authorized(hold) = part.stage().clone() {
                let stage = PartStage::Capturing { hold, call: Call::Due { at: now } };
                events.extend(part.step(PartTrigger::CaptureRequested, stage)?);
            }
        }
        Ok(events)
    }

    pub(crate) fn apply_capture(
        &mut self,
        attempt: &AttemptId,
        outcome: CaptureOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        use CaptureOutcome as A;
        let verdict = Verdict::at(self, now);
        let part = self.in_flight(attempt)?;
        let (hold, call) = match part.stage().clone() {
            PartStage::Capturing { hold, call } => (hold, Some(call)),
            PartStage::Verifying(PartDoubt::Capture(hold, _)) => (hold, None),
            _ => return Err(Conflict::PaymentNotEditable),
        };
        let event = match (outcome, call) {
            (A::Captured, _) => part.step(PartTrigger::Captured, PartStage::Succeeded { hold, at: now }),
            (A::Refused, _) => part.step(PartTrigger::StillHeld, PartStage::Authorized(hold)),
            (A::HoldGone, _) => {
                let stage = verdict.declined(part, DeclineCode::GenericDecline);
                part.step(PartTrigger::HoldGone, stage)
            }
            (A::NotSubmitted, Some(_)) => part.step(PartTrigger::StillHeld, PartStage::Authorized(hold)),
            (A::Ambiguous, Some(call)) => part.step(PartTrigger::Ambiguous, in_doubt(hold, call, now)),
            // The part is in doubt already.
            (A::Ambiguous | A::NotSubmitted, None) => Ok(None),
        }?;
        Ok(event.into_iter().collect())
    }
}

/// Returns the stage of a capture with an unknown outcome.
pub(super) fn in_doubt(hold: PartHold, call: Call, now: DateTime<Utc>) -> PartStage {
    let (attempt, since) = match call {
        Call::Open { attempt, since } => (attempt, since),
        Call::Due { at } => (hold.attempt.clone(), at),
    };
    PartStage::Verifying(PartDoubt::Capture(hold, Verification::begin(attempt, since, now)))
}
