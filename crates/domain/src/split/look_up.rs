//! Look-ups of parts in doubt, and their proofs.

use chrono::{DateTime, Utc};

use super::{
    Call, PartDoubt, PartHold, PartStage, PartTrigger, Split, authorize::Verdict, part::Part, release::escalation,
};
use crate::{
    Conflict, Event,
    payment::{DeclineCode, PendingAttempt, Verification},
};

/// Result of a look-up of the attempt that reserves a part's funds.
///
/// A provider knows a capture and a release by their reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldFinding {
    /// The funds are reserved.
    Held {
        /// End of the reservation at the issuer.
        valid_until: DateTime<Utc>,
    },
    /// The money moved.
    Captured,
    /// They were reserved, and are no more.
    Gone,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The provider waits for the issuer's challenge, and no funds are reserved.
    Unfinished,
    /// The provider does not know the attempt.
    NotFound,
    /// The provider gave no usable response.
    Unknown,
}

impl Split {
    /// Applies a look-up of the part `ordinal`. A result that contradicts the doubt counts as no response.
    pub(crate) fn apply_finding(
        &mut self,
        ordinal: u8,
        finding: HoldFinding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let verdict = Verdict::at(self, now);
        let found = self.state.parts.iter_mut().find(|it| it.ordinal == ordinal);
        let part = found.ok_or(Conflict::PaymentNotEditable)?;
        let doubt = match part.stage().clone() {
            PartStage::Verifying(doubt) => doubt,
            PartStage::Processing { submission, challenge: Some(it) } if it.is_over(now) => {
                return Ok(end_abandoned_challenge(part, submission, finding, verdict, now)?.into_iter().collect());
            }
            PartStage::Authorized(hold) if hold.has_lapsed(now) => return self.end_of_validity(&hold, finding, now),
            PartStage::Capturing { hold, call: Call::Due { .. } } if hold.has_lapsed(now) => {
                let event = match finding {
                    HoldFinding::Gone => {
                        let stage = verdict.declined(part, DeclineCode::GenericDecline);
                        part.step(PartTrigger::HoldGone, stage)?
                    }
                    HoldFinding::Held { .. } => part.step(PartTrigger::StillHeld, PartStage::Authorized(hold))?,
                    _ => None,
                };
                return Ok(event.into_iter().collect());
            }
            _ => return Err(Conflict::PaymentNotEditable),
        };
        let event = match doubt {
            PartDoubt::Authorization(ref it) => authorization(part, it, finding, verdict)?,
            PartDoubt::Capture(ref hold, _) => match finding {
                HoldFinding::Captured => {
                    Some(part.step(PartTrigger::Captured, PartStage::Succeeded { hold: hold.clone(), at: now })?)
                }
                HoldFinding::Gone => {
                    let stage = verdict.declined(part, DeclineCode::GenericDecline);
                    Some(part.step(PartTrigger::HoldGone, stage)?)
                }
                _ => None,
            },
            PartDoubt::Release(ref hold, cause, _) => match finding {
                HoldFinding::Captured => {
                    Some(part.step(PartTrigger::Captured, PartStage::Succeeded { hold: hold.clone(), at: now })?)
                }
                HoldFinding::Gone => Some(part.step(cause.gone(), cause.gone_stage(now))?),
                _ => None,
            },
        };
        match event {
            Some(event) => Ok(event.into_iter().collect()),
            None => continue_verification(part, doubt, finding, verdict, now),
        }
    }

    /// Applies a look-up of reserved funds whose validity is over by our clock. Only the provider's response ends the
    /// reservation: otherwise a wrong clock would leave the funds reserved for ever.
    fn end_of_validity(
        &mut self,
        hold: &PartHold,
        finding: HoldFinding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if finding == HoldFinding::Gone { self.hold_gone(&hold.attempt, now) } else { Ok(Vec::new()) }
    }
}

/// Returns the decision that a finding proves at once about a card, if any.
fn authorization(
    part: &mut Part,
    doubt: &Verification,
    finding: HoldFinding,
    verdict: Verdict,
) -> Result<Option<Option<Event>>, Conflict> {
    match finding {
        HoldFinding::Held { valid_until } => verdict.approve(part, &doubt.attempt, valid_until, false).map(Some),
        HoldFinding::Declined(code) => verdict.decline(part, code).map(Some),
        HoldFinding::Gone => verdict.nothing(part, None).map(Some),
        HoldFinding::Captured | HoldFinding::Unfinished | HoldFinding::NotFound | HoldFinding::Unknown => Ok(None),
    }
}

/// Applies a look-up of a card after an abandoned challenge. While the provider waits for the challenge, no funds are
/// reserved.
fn end_abandoned_challenge(
    part: &mut Part,
    submission: PendingAttempt,
    finding: HoldFinding,
    verdict: Verdict,
    now: DateTime<Utc>,
) -> Result<Option<Event>, Conflict> {
    match finding {
        HoldFinding::Held { valid_until } => verdict.approve(part, &submission.attempt, valid_until, false),
        HoldFinding::Declined(code) => verdict.decline(part, code),
        HoldFinding::Unfinished => verdict.decline(part, DeclineCode::AuthenticationFailed),
        HoldFinding::Gone => verdict.nothing(part, None),
        HoldFinding::Captured | HoldFinding::NotFound | HoldFinding::Unknown => {
            let doubt = Verification::begin(submission.attempt, submission.since, now);
            part.step(PartTrigger::Ambiguous, PartStage::Verifying(PartDoubt::Authorization(doubt)))
        }
    }
}

/// Providers show transactions late, so that a missing transaction is believed only after some time.
fn continue_verification(
    part: &mut Part,
    doubt: PartDoubt,
    finding: HoldFinding,
    verdict: Verdict,
    now: DateTime<Utc>,
) -> Result<Vec<Event>, Conflict> {
    let is_negative = match doubt {
        PartDoubt::Authorization(_) => finding == HoldFinding::NotFound,
        PartDoubt::Capture(..) | PartDoubt::Release(..) => matches!(finding, HoldFinding::Held { .. }),
    };
    let before = doubt.verification().clone();
    let checked = before.after_look_up(is_negative, now);
    let escalated = escalation(&before, &checked);
    if !(is_negative && checked.is_settled(now)) {
        part.step(PartTrigger::Ambiguous, PartStage::Verifying(doubt.at(checked)))?;
        return Ok(escalated.into_iter().collect());
    }
    let event = match doubt {
        PartDoubt::Authorization(_) => verdict.nothing(part, None)?,
        PartDoubt::Capture(hold, _) => part.step(PartTrigger::StillHeld, PartStage::Authorized(hold))?,
        PartDoubt::Release(hold, cause, _) => {
            let stage = PartStage::Releasing { hold, cause, call: Call::Due { at: now }, trouble: Some(checked) };
            part.step(PartTrigger::StillHeld, stage)?;
            escalated
        }
    };
    Ok(event.into_iter().collect())
}
