//! The fiscal document of a sale and the commands that it answers.

mod delivering;
mod drawing;
mod number_reuse;
mod queue;
mod resubmit;
mod verdict;

pub use queue::Addressee;

use chrono::{DateTime, Utc};

use super::{
    Content, Delivery, Dispatch, DocumentFacts, DocumentStage, DocumentState, DocumentStatus, DocumentTrigger,
    Issuance, IssuanceStage, IssueStep, Numbered, Observation, Problem, ProblemCode, QueuePosition, Rejection,
    Resubmission, ResubmissionMode, Route, Signed, SignedDocument, next,
};
use crate::{Conflict, Event, EventKind, Money};

/// The fiscal document of one sale, over all its revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiscalDocument {
    /// What never changes.
    pub facts: DocumentFacts,
    // Only `step` moves the stage in it, so every move is an edge of `next`.
    state: DocumentState,
}

impl FiscalDocument {
    /// Requests a document.
    pub const fn request(facts: DocumentFacts, content: Content, delivery: Delivery) -> Self {
        let updated_at = facts.created_at;
        let stage = DocumentStage::Requested;
        Self { facts, state: DocumentState { content, revision: 1, delivery, stage, updated_at, version: 0 } }
    }

    /// Rebuilds a document from storage.
    pub const fn restore(facts: DocumentFacts, state: DocumentState) -> Self {
        Self { facts, state }
    }

    /// What has changed since it was requested.
    pub const fn state(&self) -> &DocumentState {
        &self.state
    }

    /// What it says.
    pub const fn content(&self) -> &Content {
        &self.state.content
    }

    /// Where it stands, with the facts of that stage.
    pub const fn stage(&self) -> &DocumentStage {
        &self.state.stage
    }

    /// Where it stands, as published.
    pub const fn status(&self) -> DocumentStatus {
        self.state.stage.status()
    }

    /// How many times it has changed.
    pub const fn version(&self) -> u32 {
        self.state.version
    }

    /// The total that is charged; in pesos it states [`total_in_pesos`](Self::total_in_pesos).
    pub const fn total(&self) -> Money {
        Money::new(self.state.content.breakdown.total_minor_units, self.facts.currency)
    }

    /// Whether the authority gets the document, or a summary of it.
    pub fn route(&self) -> Route {
        self.content().kind.route(self.total_in_pesos())
    }

    /// Whether its kind and total ask for a buyer and none is named.
    pub fn lacks_buyer(&self) -> bool {
        let required =
            self.content().kind.buyer_requirement(self.total_in_pesos()) == super::BuyerRequirement::Required;
        required && self.content().buyer.is_none()
    }

    /// When its next step is due. A corrected document is paid for already, so it waits for
    /// nothing.
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

    /// Whether the document was refused for something that the merchant can mend.
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
        Ok(Event::leaving(EventKind::FiscalDocumentCorrected, left))
    }

    /// The payment ended unpaid: there is nothing to document.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document was requested and no more.
    pub fn cancel(&mut self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let event = self.step(DocumentTrigger::PaymentEnded, DocumentStage::Canceled { at: now }, now)?;
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
    /// A [`Conflict`] unless the document is on its way and does not wait for its issuer's set-up.
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

    /// Records that the document is about to be sent. Commit this before the authority gets it: from here on the result of
    /// the submission must be asked for.
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

    /// Delays the document, since something is in its way or the authority could not be asked. A signed document is queued.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is on its way and does not wait for its issuer's set-up.
    pub fn held_up(&mut self, code: ProblemCode, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.before_a_step()?;
        let stage = issuance.stage.queued();
        self.hold_up(code, Issuance { stage, ..issuance }, now)
    }

    /// The document is refused, by the authority or by our own rules.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is on its way.
    pub fn refuse(&mut self, code: ProblemCode, is_number_spent: bool, now: DateTime<Utc>) -> Result<Event, Conflict> {
        self.reject(code, is_number_spent, Vec::new(), now)
    }

    fn reject(
        &mut self,
        code: ProblemCode,
        is_number_spent: bool,
        said: Vec<Observation>,
        now: DateTime<Utc>,
    ) -> Result<Event, Conflict> {
        let numbered = self.on_its_way()?.stage.numbered().cloned();
        let problem = Problem { code, since: now };
        let rejection = Rejection { at: now, problem, numbered, is_number_spent, said };
        self.step(DocumentTrigger::Refused, DocumentStage::Rejected(rejection), now)
    }

    fn on_its_way(&self) -> Result<Issuance, Conflict> {
        self.stage().issuance().cloned().ok_or(Conflict::PaymentNotEditable)
    }

    /// Issuance of a document that does not wait for its issuer's set-up.
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
        Ok(Event::leaving(entering(status), from.as_str()))
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

/// The event that says that `status` was entered.
const fn entering(status: DocumentStatus) -> EventKind {
    match status {
        DocumentStatus::Requested => EventKind::FiscalDocumentRequested,
        DocumentStatus::Issuing => EventKind::FiscalDocumentIssuing,
        DocumentStatus::Delayed => EventKind::FiscalDocumentDelayed,
        DocumentStatus::Issued => EventKind::FiscalDocumentIssued,
        DocumentStatus::Rejected => EventKind::FiscalDocumentRejected,
        DocumentStatus::Canceled => EventKind::FiscalDocumentCanceled,
    }
}
