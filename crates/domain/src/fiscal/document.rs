//! The fiscal document of a sale, and its commands.

mod credit_note;
mod emails;
mod number_reuse;
mod queue;
mod rendering;
mod resubmit;
mod verdict;

pub use queue::Addressee;

use chrono::{DateTime, Utc};

use super::{
    Content, Dispatch, DocumentFacts, DocumentStage, DocumentState, DocumentStatus, DocumentTrigger, EmailDelivery,
    Issuance, IssuanceStage, IssueStep, Numbered, Observation, Problem, ProblemCode, QueuePosition, Rejection,
    Resubmission, ResubmissionMode, Route, Signed, SignedDocument, next,
};
use crate::{Conflict, Event, EventKind, Money};

/// The fiscal document of one sale, over all its revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiscalDocument {
    /// The fixed facts.
    pub facts: DocumentFacts,
    // Only `step` changes the stage, so that every change is an edge of `next`.
    state: DocumentState,
}

impl FiscalDocument {
    /// Requests a document.
    pub const fn request(facts: DocumentFacts, content: Content, delivery: EmailDelivery) -> Self {
        let updated_at = facts.created_at;
        let stage = DocumentStage::Requested;
        Self {
            facts,
            state: DocumentState { content, revision: 1, delivery, stage, credited: 0, updated_at, version: 0 },
        }
    }

    /// Rebuilds a document from storage.
    pub const fn restore(facts: DocumentFacts, state: DocumentState) -> Self {
        Self { facts, state }
    }

    /// Returns the state.
    pub const fn state(&self) -> &DocumentState {
        &self.state
    }

    /// Returns the content.
    pub const fn content(&self) -> &Content {
        &self.state.content
    }

    /// Returns the stage with its facts.
    pub const fn stage(&self) -> &DocumentStage {
        &self.state.stage
    }

    /// Returns the published status.
    pub const fn status(&self) -> DocumentStatus {
        self.state.stage.status()
    }

    /// Returns the number of changes.
    pub const fn version(&self) -> u32 {
        self.state.version
    }

    /// Returns the total in the currency of the charge; [`total_in_pesos`](Self::total_in_pesos) is the total of the
    /// document.
    pub const fn total(&self) -> Money {
        Money::new(self.state.content.breakdown.total_minor_units, self.facts.currency)
    }

    /// Returns whether the authority gets the document or a summary.
    pub fn route(&self) -> Route {
        self.content().kind.route(self.total_in_pesos())
    }

    /// Whether the kind and total require a buyer and the document has none.
    pub fn lacks_buyer(&self) -> bool {
        let required =
            self.content().kind.buyer_requirement(self.total_in_pesos()) == super::BuyerRequirement::Required;
        required && self.content().buyer.is_none()
    }

    /// Returns the time when the next step is due. A corrected document is due at once, because its payment has
    /// succeeded.
    pub fn due_at(&self) -> Option<DateTime<Utc>> {
        let corrected = || self.is_corrected().then_some(self.state.updated_at);
        self.stage().issuance().map(|it| it.next_attempt_at).or_else(corrected)
    }

    /// Whether a correction waits to be issued.
    fn is_corrected(&self) -> bool {
        self.status() == DocumentStatus::Requested && self.state.revision > 1
    }

    /// Returns the next step of the document.
    pub fn next_step(&self) -> Option<IssueStep> {
        match self.stage() {
            DocumentStage::Requested if self.is_corrected() => Some(IssueStep::Begin),
            DocumentStage::Issuing(issuance) | DocumentStage::Delayed(issuance, _) => {
                Some(match issuance.stage.next_step() {
                    IssueStep::Resubmit => IssueStep::Resubmit,
                    _ if self.lacks_buyer_name() => IssueStep::IdentifyBuyer,
                    step => step,
                })
            }
            _ => None,
        }
    }

    fn lacks_buyer_name(&self) -> bool {
        self.content().buyer.as_ref().is_some_and(|buyer| buyer.legal_name.is_none())
    }

    /// The payment succeeded: issuing begins.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document was requested and no more.
    pub fn begin_issuing(&mut self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        self.step(DocumentTrigger::PaymentSucceeded, DocumentStage::Issuing(unnumbered(now)), now)
    }

    /// The choice of the payer, or of the merchant, before the payment.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document was requested and no more.
    pub fn change_content(&mut self, content: Content, now: DateTime<Utc>) -> Result<Event, Conflict> {
        self.step(DocumentTrigger::ChoiceChanged, DocumentStage::Requested, now)?;
        self.state.content = content;
        Ok(Event::new(EventKind::FiscalDocumentChoiceChanged))
    }

    /// Checks that the merchant can correct the rejected document.
    ///
    /// # Errors
    ///
    /// [`Conflict::FiscalCorrectionNotAllowed`].
    pub const fn check_correctable(&self) -> Result<(), Conflict> {
        match self.stage() {
            DocumentStage::Rejected(rejection) if rejection.problem.code.is_correctable() => Ok(()),
            _ => Err(Conflict::FiscalCorrectionNotAllowed),
        }
    }

    /// The merchant's correction: a new revision, without number, code or signature.
    ///
    /// # Errors
    ///
    /// [`Conflict::FiscalCorrectionNotAllowed`].
    pub fn correct(&mut self, content: Content, now: DateTime<Utc>) -> Result<Event, Conflict> {
        self.check_correctable()?;
        self.revise(content, now)
    }

    /// Issues a document again, unchanged, after a refusal for a fault of ours: under the same number if it is not
    /// spent, otherwise under another. Only an operator can know that the
    /// authority registered no part of the document.
    ///
    /// Errors: [`Conflict::FiscalCorrectionNotAllowed`].
    pub fn reissue(&mut self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        match self.stage() {
            DocumentStage::Rejected(rejection) if !rejection.problem.code.is_correctable() => {
                self.revise(self.state.content.clone(), now)
            }
            _ => Err(Conflict::FiscalCorrectionNotAllowed),
        }
    }

    fn revise(&mut self, content: Content, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let left = self.status().as_str();
        self.step(DocumentTrigger::Corrected, DocumentStage::Requested, now)?;
        self.state.content = content;
        self.state.revision = self.state.revision.saturating_add(1);
        Ok(self.event_of_kind(Event::with_previous_status(EventKind::FiscalDocumentCorrected, left)))
    }

    /// Cancels the document, because its payment ended unpaid.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is requested.
    pub fn cancel(&mut self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let event = self.step(DocumentTrigger::PaymentEnded, DocumentStage::Canceled { at: now }, now)?;
        self.state.delivery.canceled();
        Ok(event)
    }

    /// Cancels the document, because everything that was paid was returned before the authority accepted the document;
    /// of a credit note, because its original was canceled so.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is requested or rejected.
    pub fn cancel_refunded(&mut self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let event = self.step(DocumentTrigger::Refunded, DocumentStage::Canceled { at: now }, now)?;
        self.state.delivery.canceled();
        Ok(event)
    }

    /// The payment that had ended unpaid was renewed: the document is wanted again.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document was canceled.
    pub fn renew(&mut self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let event = self.step(DocumentTrigger::PaymentRenewed, DocumentStage::Requested, now)?;
        self.state.delivery.renewed();
        Ok(event)
    }

    /// Adds the buyer's registered name to a document that is not stored yet.
    #[must_use]
    pub fn with_buyer_name(mut self, legal_name: String) -> Self {
        if let Some(buyer) = &mut self.state.content.buyer {
            buyer.legal_name = Some(legal_name);
        }
        self
    }

    /// Records the buyer's registered name.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is in progress and does not wait for its issuer's set-up.
    pub fn buyer_identified(&mut self, legal_name: String, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.before_a_step()?.advanced(now);
        if let Some(buyer) = &mut self.state.content.buyer {
            buyer.legal_name = Some(legal_name);
        }
        self.advance(issuance, now)
    }

    /// Records the assigned number.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document waits for a number.
    pub fn numbered(&mut self, numbered: Numbered, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.on_its_way()?;
        let IssuanceStage::AwaitingNumber { rejection } = issuance.stage else {
            return Err(Conflict::PaymentNotEditable);
        };
        let resubmission = rejection.map(|rejection| Resubmission { rejection, mode: ResubmissionMode::Renumber });
        let stage = IssuanceStage::AwaitingSignature { numbered, duplicates: 0, resubmission };
        self.advance(Issuance { stage, ..issuance }.advanced(now), now)
    }

    /// Records the signature. Commit this together with the signed bytes.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document waits for its signature.
    pub fn signed(&mut self, signed: Signed, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.on_its_way()?;
        let IssuanceStage::AwaitingSignature { numbered, duplicates, resubmission } = issuance.stage else {
            return Err(Conflict::PaymentNotEditable);
        };
        let document = SignedDocument { numbered, signed, duplicates, term_warned_at: None };
        let dispatch = Dispatch { document, queue: QueuePosition::Outside, resubmission };
        let stage = IssuanceStage::AwaitingSubmission { dispatch, submitted_at: None };
        self.advance(Issuance { stage, ..issuance }.advanced(now), now)
    }

    /// Records that the document is about to be submitted. Commit this before the request: from here on the result
    /// must be looked up.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document waits for its submission.
    pub fn submitting(&mut self, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.on_its_way()?;
        let IssuanceStage::AwaitingSubmission { dispatch, .. } = issuance.stage else {
            return Err(Conflict::PaymentNotEditable);
        };
        let stage = IssuanceStage::AwaitingVerdict { dispatch, submitted_at: now, track_id: None };
        let submissions = issuance.submissions.saturating_add(1);
        self.advance(Issuance { stage, submissions, ..issuance }, now)
    }

    /// Delays the document for a problem, such as an unreachable authority. A signed document is queued.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is in progress and does not wait for its issuer's set-up.
    pub fn set_problem(&mut self, code: ProblemCode, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.before_a_step()?;
        let stage = issuance.stage.queued();
        self.hold_up(code, Issuance { stage, ..issuance }, now)
    }

    /// Rejects the document, by the authority's verdict or by our own rules.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is in progress.
    pub fn refuse(&mut self, code: ProblemCode, is_number_spent: bool, now: DateTime<Utc>) -> Result<Event, Conflict> {
        self.reject(code, is_number_spent, Vec::new(), now)
    }

    fn reject(
        &mut self,
        code: ProblemCode,
        is_number_spent: bool,
        authority_messages: Vec<Observation>,
        now: DateTime<Utc>,
    ) -> Result<Event, Conflict> {
        let numbered = self.on_its_way()?.stage.numbered().cloned();
        let problem = Problem { code, since: now };
        let rejection = Rejection { at: now, problem, numbered, is_number_spent, authority_messages };
        self.step(DocumentTrigger::Refused, DocumentStage::Rejected(rejection), now)
    }

    fn on_its_way(&self) -> Result<Issuance, Conflict> {
        self.stage().issuance().cloned().ok_or(Conflict::PaymentNotEditable)
    }

    /// Returns the issuance of a document that does not wait for its issuer's set-up.
    fn before_a_step(&self) -> Result<Issuance, Conflict> {
        let issuance = self.on_its_way()?;
        match issuance.stage {
            IssuanceStage::AwaitingSetup { .. } => Err(Conflict::PaymentNotEditable),
            _ => Ok(issuance),
        }
    }

    /// Steps forward; only a return from `delayed` is news.
    fn advance(&mut self, issuance: Issuance, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let from = self.status();
        let event = self.step(DocumentTrigger::Advanced, DocumentStage::Issuing(issuance), now)?;
        Ok((from == DocumentStatus::Delayed).then_some(event))
    }

    fn hold_up(
        &mut self,
        code: ProblemCode,
        issuance: Issuance,
        now: DateTime<Utc>,
    ) -> Result<Option<Event>, Conflict> {
        self.delay(code, issuance.waiting(now), now)
    }

    /// Waits; only the first hold-up of a row is news.
    fn delay(&mut self, code: ProblemCode, issuance: Issuance, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let from = self.status();
        let since = match self.stage() {
            DocumentStage::Delayed(_, problem) if problem.code == code => problem.since,
            _ => now,
        };
        let stage = DocumentStage::Delayed(issuance.warned_of_term(now), Problem { code, since });
        let event = self.step(DocumentTrigger::HeldUp, stage, now)?;
        Ok((from != DocumentStatus::Delayed).then_some(event))
    }

    /// The only writer of the stage.
    fn step(&mut self, on: DocumentTrigger, to: DocumentStage, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let from = self.status();
        let status = next(from, on)?;
        assert_eq!(status, to.status(), "the stage of {on:?} contradicts the lifecycle");
        self.state.stage = to;
        self.moved(now);
        Ok(self.event_of_kind(Event::with_previous_status(event_of(status), from.as_str())))
    }

    fn moved(&mut self, now: DateTime<Utc>) {
        self.state.updated_at = now;
        self.state.version = self.state.version.saturating_add(1);
    }
}

/// An issuance without a number.
const fn unnumbered(now: DateTime<Utc>) -> Issuance {
    Issuance::begin(IssuanceStage::AwaitingNumber { rejection: None }, now)
}

/// Returns the event of the new status.
const fn event_of(status: DocumentStatus) -> EventKind {
    match status {
        DocumentStatus::Requested => EventKind::FiscalDocumentRequested,
        DocumentStatus::Issuing => EventKind::FiscalDocumentIssuing,
        DocumentStatus::Delayed => EventKind::FiscalDocumentDelayed,
        DocumentStatus::Issued => EventKind::FiscalDocumentIssued,
        DocumentStatus::Rejected => EventKind::FiscalDocumentRejected,
        DocumentStatus::Canceled => EventKind::FiscalDocumentCanceled,
    }
}
