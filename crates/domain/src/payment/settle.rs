//! What the provider's answers and the look-ups do to a payment.

use chrono::{DateTime, Utc};

use super::{
    Action, Challenge, Challenged, Decline, DeclineCode, Payment, Return, Stage, Submission, Trigger, Verification,
};
use crate::{AttemptId, Conflict, Event, EventKind, Symbols};

/// What the provider said of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderOutcome {
    /// The payment is open at the provider.
    Opened,
    /// The money moved.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The issuer wants this of the payer's browser first, on the page of that secret address.
    ChallengeAsked(Symbols, Action),
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
    /// The provider waits for the issuer's challenge, and nothing was taken yet.
    Unfinished,
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
        answer: ProviderOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if self.stage().attempt() != Some(attempt) {
            return Err(Conflict::PaymentNotEditable);
        }
        if let Stage::Verifying(_) = self.stage() {
            let finding = match answer {
                ProviderOutcome::Approved => Finding::Approved,
                ProviderOutcome::Declined(code) => Finding::Declined(code),
                ProviderOutcome::Opened
                | ProviderOutcome::ChallengeAsked(..)
                | ProviderOutcome::Ambiguous
                | ProviderOutcome::NotSubmitted => {
                    return Ok(Vec::new());
                }
            };
            return self.looked_up(attempt, finding, now);
        }
        let Stage::Processing(submission) = self.stage().clone() else {
            return Err(Conflict::PaymentNotEditable);
        };
        let event = match answer {
            ProviderOutcome::Opened => {
                // The event is for a return to the customer; this payment never left.
                self.step(Trigger::Opened, Stage::RequiresCustomerAction(None), now)?;
                return Ok(Vec::new());
            }
            ProviderOutcome::Approved => self.step(Trigger::Approved, Stage::Succeeded { at: now }, now),
            ProviderOutcome::Declined(code) => self.decline(Trigger::Declined, code, now),
            ProviderOutcome::ChallengeAsked(link, action) => {
                let challenge = Challenge::begin(link, action, now);
                let waiting = Challenged { attempt: submission.attempt, since: submission.since, challenge };
                self.step(Trigger::ChallengeAsked, Stage::RequiresCustomerAction(Some(waiting)), now)
            }
            ProviderOutcome::Ambiguous => {
                let verification = Verification::begin(submission.attempt, submission.since, now);
                self.step(Trigger::Ambiguous, Stage::Verifying(verification), now)
            }
            ProviderOutcome::NotSubmitted => match self.take_back(submission) {
                None => self.step(Trigger::NotSubmittedWhileOpen, Stage::RequiresCustomerAction(None), now),
                Some(decline) => {
                    self.step(Trigger::NotSubmittedAfterDecline, Stage::Declined { decline, at: now }, now)
                }
            },
        }?;
        Ok(vec![event])
    }

    /// The browser came back from the issuer. Says what to tell, if that is news: a duplicate return, or one to a challenge
    /// that is over, is none.
    ///
    /// Unless it was a mere notice, the provider is asked next: commit this before it hears of it.
    pub fn challenge_returned(&mut self, attempt: &AttemptId, back: Return, now: DateTime<Utc>) -> Option<Vec<Event>> {
        let Stage::RequiresCustomerAction(Some(waiting)) = self.stage().clone() else { return None };
        if waiting.attempt != *attempt || !waiting.challenge.takes(back, now) {
            return None;
        }
        if back == Return::Notice {
            let challenge = Challenge { is_noticed: true, ..waiting.challenge };
            self.put(Stage::RequiresCustomerAction(Some(Challenged { challenge, ..waiting })), now);
            return Some(Vec::new());
        }
        self.go_on(waiting, now).ok().map(|it| vec![it])
    }

    /// The call that asks for the challenge's result begins now.
    fn go_on(&mut self, waiting: Challenged, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let submission = Submission { attempt: waiting.attempt, since: now, before: None };
        self.step(Trigger::ChallengeReturned, Stage::Processing(submission), now)
    }

    /// A look-up answered about a challenge that nobody came back from. As long as the provider waits for that, nothing
    /// was taken, and the payment stays payable.
    fn abandoned(&mut self, waiting: Challenged, finding: Finding, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let attempt = waiting.attempt.clone();
        let answer = match finding {
            Finding::Approved => ProviderOutcome::Approved,
            Finding::Declined(code) => ProviderOutcome::Declined(code),
            Finding::Unfinished => ProviderOutcome::Declined(DeclineCode::AuthenticationFailed),
            Finding::Nothing | Finding::Unknown => ProviderOutcome::Ambiguous,
        };
        let mut events = vec![self.go_on(waiting, now)?];
        events.extend(self.answered(&attempt, answer, now)?);
        Ok(events)
    }

    /// A look-up answered, about the attempt in doubt, or about one whose challenge was abandoned.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the lifecycle if `attempt` is neither.
    pub fn looked_up(
        &mut self,
        attempt: &AttemptId,
        finding: Finding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        if self.stage().attempt() != Some(attempt) {
            return Err(Conflict::PaymentNotEditable);
        }
        let doubt = match self.stage().clone() {
            Stage::Verifying(doubt) => doubt,
            Stage::RequiresCustomerAction(Some(it)) if it.challenge.is_over(now) => {
                return self.abandoned(it, finding, now);
            }
            _ => return Err(Conflict::PaymentNotEditable),
        };
        let event = match finding {
            Finding::Approved => self.step(Trigger::Approved, Stage::Succeeded { at: now }, now)?,
            Finding::Declined(code) => self.decline(Trigger::Declined, code, now)?,
            Finding::Unfinished | Finding::Nothing | Finding::Unknown => {
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
