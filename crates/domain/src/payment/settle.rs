//! Effects of provider responses and look-ups on a payment.

use chrono::{DateTime, Utc};

use super::{
    Action, AuthReturn, Challenge, Challenged, Decline, DeclineCode, Payment, PendingAttempt, Stage, Trigger,
    Verification,
};
use crate::{AttemptId, Conflict, Event, EventKind, Symbols};

/// Outcome of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderOutcome {
    /// The payment is open at the provider.
    Opened,
    /// The charge was approved.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The issuer requires this action of the payer's browser, on the page of the secret link.
    ChallengeRequired(Symbols, Action),
    /// The outcome is unknown.
    Ambiguous,
    /// The request provably was not sent.
    NotSubmitted,
}

/// Result of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptFinding {
    /// The charge was approved.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The provider waits for the issuer's challenge, and no money has moved.
    Unfinished,
    /// The provider does not know the attempt.
    NotFound,
    /// The provider gave no usable response.
    Unknown,
}

impl Payment {
    /// Applies the outcome of the attempt that is being processed.
    ///
    /// An outcome also settles an attempt in doubt.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the lifecycle if `attempt` is not in flight: the payment has moved on, and an approval is
    /// then [late](Self::approved_late).
    pub fn apply_outcome(
        &mut self,
        attempt: &AttemptId,
        outcome: ProviderOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if self.stage().attempt() != Some(attempt) {
            return Err(Conflict::PaymentNotEditable);
        }
        if let Stage::Verifying(_) = self.stage() {
            let finding = match outcome {
                ProviderOutcome::Approved => AttemptFinding::Approved,
                ProviderOutcome::Declined(code) => AttemptFinding::Declined(code),
                ProviderOutcome::Opened
                | ProviderOutcome::ChallengeRequired(..)
                | ProviderOutcome::Ambiguous
                | ProviderOutcome::NotSubmitted => {
                    return Ok(Vec::new());
                }
            };
            return self.apply_finding(attempt, finding, now);
        }
        let Stage::Processing(submission) = self.stage().clone() else {
            return Err(Conflict::PaymentNotEditable);
        };
        let event = match outcome {
            ProviderOutcome::Opened => {
                // The event reports a return to the customer, but this payment is new.
                self.step(Trigger::Opened, Stage::RequiresCustomerAction(None), now)?;
                return Ok(Vec::new());
            }
            ProviderOutcome::Approved => self.step(Trigger::Approved, Stage::Succeeded { at: now }, now),
            ProviderOutcome::Declined(code) => self.decline(Trigger::Declined, code, now),
            ProviderOutcome::ChallengeRequired(link, action) => {
                let challenge = Challenge::begin(link, action, now);
                let waiting = Challenged { attempt: submission.attempt, since: submission.since, challenge };
                self.step(Trigger::ChallengeRequired, Stage::RequiresCustomerAction(Some(waiting)), now)
            }
            ProviderOutcome::Ambiguous => {
                let verification = Verification::begin(submission.attempt, submission.since, now);
                self.step(Trigger::Ambiguous, Stage::Verifying(verification), now)
            }
            ProviderOutcome::NotSubmitted => match self.undo_submission(submission) {
                None => self.step(Trigger::NotSubmittedWhileOpen, Stage::RequiresCustomerAction(None), now),
                Some(decline) => {
                    self.step(Trigger::NotSubmittedAfterDecline, Stage::Declined { decline, at: now }, now)
                }
            },
        }?;
        Ok(vec![event])
    }

    /// Records the browser's return from the issuer. Returns the events, or `None` for a duplicate return or an ended
    /// challenge.
    ///
    /// Unless the return is a mere notification, the provider is called next: commit this before the call.
    pub fn challenge_returned(
        &mut self,
        attempt: &AttemptId,
        auth_return: AuthReturn,
        now: DateTime<Utc>,
    ) -> Option<Vec<Event>> {
        let Stage::RequiresCustomerAction(Some(waiting)) = self.stage().clone() else { return None };
        if waiting.attempt != *attempt || !waiting.challenge.accepts(auth_return, now) {
            return None;
        }
        if auth_return == AuthReturn::MethodNotified {
            let challenge = Challenge { is_method_notified: true, ..waiting.challenge };
            self.set_stage(Stage::RequiresCustomerAction(Some(Challenged { challenge, ..waiting })), now);
            return Some(Vec::new());
        }
        self.resume_processing(waiting, now).ok().map(|it| vec![it])
    }

    /// The query for the challenge's result begins now.
    fn resume_processing(&mut self, waiting: Challenged, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let submission = PendingAttempt { attempt: waiting.attempt, since: now, before: None };
        self.step(Trigger::ChallengeReturned, Stage::Processing(submission), now)
    }

    /// Applies a look-up of an abandoned challenge. While the provider waits for the challenge, no money has moved and
    /// the payment stays payable.
    fn end_abandoned_challenge(
        &mut self,
        waiting: Challenged,
        finding: AttemptFinding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let attempt = waiting.attempt.clone();
        let outcome = match finding {
            AttemptFinding::Approved => ProviderOutcome::Approved,
            AttemptFinding::Declined(code) => ProviderOutcome::Declined(code),
            AttemptFinding::Unfinished => ProviderOutcome::Declined(DeclineCode::AuthenticationFailed),
            AttemptFinding::NotFound | AttemptFinding::Unknown => ProviderOutcome::Ambiguous,
        };
        let mut events = vec![self.resume_processing(waiting, now)?];
        events.extend(self.apply_outcome(&attempt, outcome, now)?);
        Ok(events)
    }

    /// Applies a look-up of the attempt in doubt, or of an abandoned challenge.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the lifecycle for any other attempt.
    pub fn apply_finding(
        &mut self,
        attempt: &AttemptId,
        finding: AttemptFinding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if self.stage().attempt() != Some(attempt) {
            return Err(Conflict::PaymentNotEditable);
        }
        let doubt = match self.stage().clone() {
            Stage::Verifying(doubt) => doubt,
            Stage::RequiresCustomerAction(Some(it)) if it.challenge.is_over(now) => {
                return self.end_abandoned_challenge(it, finding, now);
            }
            _ => return Err(Conflict::PaymentNotEditable),
        };
        let event = match finding {
            AttemptFinding::Approved => self.step(Trigger::Approved, Stage::Succeeded { at: now }, now)?,
            AttemptFinding::Declined(code) => self.decline(Trigger::Declined, code, now)?,
            AttemptFinding::Unfinished | AttemptFinding::NotFound | AttemptFinding::Unknown => {
                let checked = doubt.after_look_up(finding == AttemptFinding::NotFound, now);
                return self.continue_verification(finding, &doubt, checked, now);
            }
        };
        Ok(vec![event])
    }

    fn continue_verification(
        &mut self,
        finding: AttemptFinding,
        before: &Verification,
        checked: Verification,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if finding == AttemptFinding::NotFound && checked.is_settled(now) {
            let Verification { attempt, submitted_at, .. } = checked;
            self.add_orphan(attempt, submitted_at, now);
            let event = if now < self.state.expires_at {
                self.step(Trigger::NotExecuted, Stage::RequiresCustomerAction(None), now)?
            } else {
                self.step(Trigger::NotExecutedTooLate, Stage::Expired { at: now }, now)?
            };
            return Ok(vec![event]);
        }
        let is_newly_escalated = checked.is_escalated && !before.is_escalated;
        self.step(Trigger::Ambiguous, Stage::Verifying(checked), now)?;
        Ok(is_newly_escalated.then(|| Event::new(EventKind::PaymentVerificationEscalated)).into_iter().collect())
    }

    /// Undoes a submission that was not sent: an earlier decline applies again. An opening call does not count as a
    /// card.
    fn undo_submission(&mut self, submission: PendingAttempt) -> Option<Decline> {
        self.state.not_submitted = self.state.not_submitted.saturating_add(1).min(self.state.attempts);
        submission.before
    }

    /// Returns the number of cards that the provider may have received.
    const fn tries(&self) -> u32 {
        self.state.attempts.saturating_sub(self.state.not_submitted)
    }

    fn decline(&mut self, on: Trigger, code: DeclineCode, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let can_try_again = code.may_retry() && self.tries() < Self::MAX_TRIES && now < self.state.expires_at;
        self.step(on, Stage::Declined { decline: Decline { code, can_try_again }, at: now }, now)
    }
}
