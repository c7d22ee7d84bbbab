//! What the provider's answers and the look-ups do to a payment.

use chrono::{DateTime, Utc};

use super::{Challenge, Decline, DeclineCode, Payment, Stage, Submission, Trigger, Verification};
use crate::{AttemptId, Conflict, Event, EventKind};

/// What the provider said of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The payment is open at the provider.
    Opened,
    /// The money moved.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The issuer wants to see the cardholder at this address.
    ChallengeAsked(String),
    /// Nobody knows.
    Ambiguous,
    /// It provably never left.
    NotSubmitted,
}

/// What a look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The money moved.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The provider knows nothing of the attempt.
    Nothing,
    /// The provider could not be asked, or contradicts itself.
    Unknown,
}

impl Payment {
    /// The provider answered, about the attempt that is being processed.
    ///
    /// An answer that comes while the attempt is already in doubt settles the doubt.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the lifecycle if `attempt` is not the one in flight: its payment has
    /// moved on, and an approval is then [late](Self::approved_late).
    pub fn answered(
        &mut self,
        attempt: &AttemptId,
        answer: Answer,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if self.stage().attempt() != Some(attempt) {
            return Err(Conflict::PaymentNotEditable);
        }
        if let Stage::Verifying(_) = self.stage() {
            let finding = match answer {
                Answer::Approved => Finding::Approved,
                Answer::Declined(code) => Finding::Declined(code),
                Answer::Opened | Answer::ChallengeAsked(_) | Answer::Ambiguous | Answer::NotSubmitted => {
                    return Ok(Vec::new());
                }
            };
            return self.looked_up(attempt, finding, now);
        }
        let Stage::Processing(submission) = self.stage().clone() else {
            return Err(Conflict::PaymentNotEditable);
        };
        let event = match answer {
            Answer::Opened => {
                // The event is for a return to the customer; this payment never left.
                self.step(Trigger::Opened, Stage::RequiresCustomerAction(None), now)?;
                return Ok(Vec::new());
            }
            Answer::Approved => self.step(Trigger::Approved, Stage::Succeeded { at: now }, now),
            Answer::Declined(code) => self.decline(Trigger::Declined, code, now),
            Answer::ChallengeAsked(url) => {
                let expires_at = now.checked_add_signed(Challenge::LIFE).unwrap_or(now);
                let challenge = Challenge { attempt: submission.attempt, since: submission.since, url, expires_at };
                self.step(Trigger::ChallengeAsked, Stage::RequiresCustomerAction(Some(challenge)), now)
            }
            Answer::Ambiguous => {
                let verification = Verification::begin(submission.attempt, submission.since, now);
                self.step(Trigger::Ambiguous, Stage::Verifying(verification), now)
            }
            Answer::NotSubmitted => match self.take_back(submission) {
                None => self.step(Trigger::NotSubmittedWhileOpen, Stage::RequiresCustomerAction(None), now),
                Some(decline) => {
                    self.step(Trigger::NotSubmittedAfterDecline, Stage::Declined { decline, at: now }, now)
                }
            },
        }?;
        Ok(vec![event])
    }

    /// The customer came back from the challenge; the provider is asked for its result next.
    ///
    /// A duplicate return, or one to a challenge that is over, does nothing.
    pub fn challenge_returned(&mut self, attempt: &AttemptId, now: DateTime<Utc>) -> Option<Event> {
        let Stage::RequiresCustomerAction(Some(challenge)) = self.stage().clone() else { return None };
        if challenge.attempt != *attempt {
            return None;
        }
        let submission = Submission { attempt: challenge.attempt, since: challenge.since, before: None };
        self.step(Trigger::ChallengeReturned, Stage::Processing(submission), now).ok()
    }

    /// The customer abandoned the challenge: the attempt is declined, the payment stays payable.
    pub fn challenge_abandoned(&mut self, now: DateTime<Utc>) -> Vec<Event> {
        let Stage::RequiresCustomerAction(Some(challenge)) = self.stage().clone() else { return Vec::new() };
        if now < challenge.expires_at {
            return Vec::new();
        }
        let returned = self.challenge_returned(&challenge.attempt, now);
        let declined = self.decline(Trigger::Declined, DeclineCode::AuthenticationFailed, now).ok();
        returned.into_iter().chain(declined).collect()
    }

    /// A look-up answered, about the attempt in doubt.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the lifecycle if `attempt` is not in doubt.
    pub fn looked_up(
        &mut self,
        attempt: &AttemptId,
        finding: Finding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let Stage::Verifying(doubt) = self.stage().clone() else { return Err(Conflict::PaymentNotEditable) };
        if doubt.attempt != *attempt {
            return Err(Conflict::PaymentNotEditable);
        }
        let event = match finding {
            Finding::Approved => self.step(Trigger::Approved, Stage::Succeeded { at: now }, now)?,
            Finding::Declined(code) => self.decline(Trigger::Declined, code, now)?,
            Finding::Nothing | Finding::Unknown => {
                let asked = doubt.asked(finding == Finding::Nothing, now);
                return self.still_in_doubt(finding, &doubt, asked, now);
            }
        };
        Ok(vec![event])
    }

    fn still_in_doubt(
        &mut self,
        finding: Finding,
        before: &Verification,
        asked: Verification,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if finding == Finding::Nothing && asked.is_settled(now) {
            let Verification { attempt, submitted_at, .. } = asked;
            self.watch(attempt, submitted_at, now);
            let event = if now < self.state.expires_at {
                self.step(Trigger::NothingHappened, Stage::RequiresCustomerAction(None), now)?
            } else {
                self.step(Trigger::NothingHappenedTooLate, Stage::Expired { at: now }, now)?
            };
            return Ok(vec![event]);
        }
        let is_news = asked.is_escalated && !before.is_escalated;
        self.step(Trigger::Ambiguous, Stage::Verifying(asked), now)?;
        Ok(is_news.then(|| Event::new(EventKind::PaymentVerificationEscalated)).into_iter().collect())
    }

    /// What was submitted never left: the decline from before stands again, and an opening call is no card.
    fn take_back(&mut self, submission: Submission) -> Option<Decline> {
        self.state.unsent = self.state.unsent.saturating_add(1).min(self.state.attempts);
        submission.before
    }

    /// How many cards the provider may have seen.
    const fn tries(&self) -> u32 {
        self.state.attempts.saturating_sub(self.state.unsent)
    }

    fn decline(&mut self, on: Trigger, code: DeclineCode, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let can_try_again = code.may_retry() && self.tries() < Self::MAX_TRIES && now < self.state.expires_at;
        self.step(on, Stage::Declined { decline: Decline { code, can_try_again }, at: now }, now)
    }
}
