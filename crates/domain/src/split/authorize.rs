//! Cards for parts, and the outcomes of their authorizations.

use chrono::{DateTime, Utc};

use super::{Part, PartDoubt, PartHold, PartStage, PartState, PartTrigger, Replacement, Split, SplitStatus};
use crate::{
    AttemptId, Conflict, Event, Refusal, Symbols,
    attempt::CardSummary,
    payment::{Action, AuthReturn, Challenge, Decline, DeclineCode, PendingAttempt, Verification},
};

/// Outcome of an authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorizationOutcome {
    /// The funds are reserved.
    Approved {
        /// End of the reservation at the issuer.
        valid_until: DateTime<Utc>,
        /// Whether the provider stores the card, with which funds can be reserved again.
        is_card_stored: bool,
    },
    /// The issuer refused.
    Declined(DeclineCode),
    /// The issuer wants this of the payer's browser first, on the page of that secret address.
    ChallengeRequired(Symbols, Action),
    /// The outcome is unknown.
    Ambiguous,
    /// The request provably never left.
    NotSubmitted,
}

impl Split {
    /// Whether every payer is too late.
    pub(crate) fn takes_no_card(&self, now: DateTime<Utc>) -> bool {
        self.is_closed(now) || matches!(self.status(), SplitStatus::Released | SplitStatus::Expired)
    }

    /// Whether the payer of the part of `ordinal` may try a card now.
    pub fn is_payable(&self, ordinal: u8, now: DateTime<Utc>) -> bool {
        self.check_payable(ordinal, now).is_ok()
    }

    /// Whether a card for the part of `ordinal` is welcome.
    fn check_payable(&self, ordinal: u8, now: DateTime<Utc>) -> Result<(), Refusal> {
        let part = self.part(ordinal);
        match part.map(Part::status) {
            Some(super::PartStatus::Verifying) => return Err(Conflict::PaymentAwaitingVerification.into()),
            Some(super::PartStatus::Processing) => return Err(Conflict::PaymentMethodAlreadyInProgress.into()),
            _ => {}
        }
        if self.takes_no_card(now) {
            return Err(Conflict::CheckoutWindowClosed.into());
        }
        if self.all(&[PartState::Authorized, PartState::Capturing, PartState::VerifyingCapture, PartState::Succeeded]) {
            return Err(Conflict::PaymentSplitComplete.into());
        }
        match part.map(Part::stage) {
            Some(PartStage::Unpaid) => Ok(()),
            Some(PartStage::Declined { decline, .. }) if decline.can_try_again => Ok(()),
            Some(PartStage::Declined { .. }) => Err(Conflict::DeclineNotRetryable.into()),
            _ => Err(Refusal::at(Conflict::PaymentPartNotPayable, "partOrdinal")),
        }
    }

    pub(crate) fn submit(
        &mut self,
        ordinal: u8,
        attempt: AttemptId,
        card: CardSummary,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Refusal> {
        self.check_payable(ordinal, now)?;
        let found = self.state.parts.iter_mut().find(|it| it.ordinal == ordinal);
        let part = found.ok_or_else(|| Refusal::at(Conflict::PaymentPartNotPayable, "partOrdinal"))?;
        let submission = PendingAttempt { attempt, since: now, before: part.decline().copied() };
        let event = part.step(PartTrigger::Submitted, PartStage::Processing { submission, challenge: None })?;
        part.card_submitted(card);
        Ok(event.into_iter().collect())
    }

    /// Applies the provider's response. A response that arrives while the attempt is already in doubt settles it.
    pub(crate) fn apply_authorization(
        &mut self,
        attempt: &AttemptId,
        outcome: AuthorizationOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        use AuthorizationOutcome as A;
        let verdict = Verdict::at(self, now);
        let part = self.in_flight(attempt)?;
        let event = match (part.stage().clone(), outcome) {
            (
                PartStage::Processing { .. } | PartStage::Verifying(PartDoubt::Authorization(_)),
                A::Approved { valid_until, is_card_stored },
            ) => verdict.approve(part, attempt, valid_until, is_card_stored),
            (PartStage::Processing { .. } | PartStage::Verifying(PartDoubt::Authorization(_)), A::Declined(code)) => {
                verdict.decline(part, code)
            }
            (PartStage::Processing { submission, .. }, A::ChallengeRequired(link, action)) => {
                let challenge = Some(Challenge::begin(link, action, now));
                part.step(PartTrigger::ChallengeRequired, PartStage::Processing { submission, challenge })
            }
            (PartStage::Processing { submission, .. }, A::Ambiguous) => {
                let doubt = Verification::begin(submission.attempt, submission.since, now);
                part.step(PartTrigger::Ambiguous, PartStage::Verifying(PartDoubt::Authorization(doubt)))
            }
            (PartStage::Processing { submission, .. }, A::NotSubmitted) => {
                part.card_unsent();
                verdict.nothing(part, submission.before)
            }
            (PartStage::Verifying(PartDoubt::Authorization(_)), _) => Ok(None),
            _ => Err(Conflict::PaymentNotEditable),
        }?;
        Ok(event.into_iter().collect())
    }

    /// Records the return of the payer's browser from the issuer. A duplicate return has no effect.
    pub(crate) fn challenge_returned(
        &mut self,
        attempt: &AttemptId,
        auth_return: AuthReturn,
        now: DateTime<Utc>,
    ) -> bool {
        let Ok(part) = self.in_flight(attempt) else { return false };
        let PartStage::Processing { submission, challenge: Some(challenge) } = part.stage().clone() else {
            return false;
        };
        if !challenge.accepts(auth_return, now) {
            return false;
        }
        if auth_return == AuthReturn::MethodNotified {
            let challenge = Some(Challenge { is_method_notified: true, ..challenge });
            part.stay(PartStage::Processing { submission, challenge });
            return true;
        }
        // The query for the challenge's result begins now.
        let stage = PartStage::Processing { submission: PendingAttempt { since: now, ..submission }, challenge: None };
        part.step(PartTrigger::ChallengeReturned, stage).is_ok()
    }
}

/// Decision about a part's authorization, which depends on the window.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    is_late: bool,
    now: DateTime<Utc>,
}

impl Verdict {
    pub(super) fn at(split: &Split, now: DateTime<Utc>) -> Self {
        Self { is_late: split.has_ended(now), now }
    }

    pub(super) fn approve(
        self,
        part: &mut Part,
        attempt: &AttemptId,
        valid_until: DateTime<Utc>,
        is_card_stored: bool,
    ) -> Result<Option<Event>, Conflict> {
        let hold = PartHold {
            attempt: attempt.clone(),
            authorized_at: self.now,
            valid_until,
            is_warned: false,
            replacement: Replacement::Never,
        };
        let replacement = Replacement::of_new(attempt, is_card_stored, hold.warn_at());
        let hold = PartHold { replacement, ..hold };
        if self.is_late {
            return part.step(PartTrigger::ApprovedTooLate, super::release::expiring(hold, self.now));
        }
        part.step(PartTrigger::Approved, PartStage::Authorized(hold))
    }

    pub(super) fn decline(self, part: &mut Part, code: DeclineCode) -> Result<Option<Event>, Conflict> {
        if self.is_late {
            return part.step(PartTrigger::DeclinedTooLate, PartStage::Expired { at: self.now });
        }
        part.step(PartTrigger::Declined, self.declined(part, code))
    }

    pub(super) fn declined(self, part: &Part, code: DeclineCode) -> PartStage {
        let can_try_again = code.may_retry() && part.tries() < Part::MAX_TRIES && !self.is_late;
        PartStage::Declined { decline: Decline { code, can_try_again }, at: self.now }
    }

    /// Records that no funds are reserved. If the request was never sent, the decline of `before` applies again.
    pub(super) fn nothing(self, part: &mut Part, before: Option<Decline>) -> Result<Option<Event>, Conflict> {
        match before {
            _ if self.is_late => part.step(PartTrigger::NotExecutedTooLate, PartStage::Expired { at: self.now }),
            Some(decline) => {
                let stage = PartStage::Declined { decline, at: self.now };
                part.step(PartTrigger::NotExecutedAfterDecline, stage)
            }
            None => part.step(PartTrigger::NotExecuted, PartStage::Unpaid),
        }
    }
}
