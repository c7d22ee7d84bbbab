//! Verdicts of the authority on a submitted document.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict, Event,
    fiscal::{
        Acceptance, DocumentStage, DocumentTrigger, Issuance, Issued, ProblemCode, RenderRetry, SignedDocument, Verdict,
    },
};

impl FiscalDocument {
    /// Applies the authority's verdict on a submission or an inquiry.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless this revision was submitted. While the document waits for its issuer's set-up, only an
    /// acceptance or another rejection counts.
    pub fn apply_verdict(&mut self, verdict: Verdict, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        match verdict {
            Verdict::Accepted(acceptance) => self.accept(acceptance, now).map(Some),
            Verdict::Rejected { code, is_number_spent, authority_messages } if code.waits_for_setup() => {
                self.reject_for_setup(code, is_number_spent, authority_messages, now)
            }
            Verdict::Rejected { code, is_number_spent, authority_messages } => {
                self.submitted_document()?;
                let is_spent = is_number_spent || self.facts.environment.spends_every_number();
                self.reject(code, is_spent, authority_messages, now).map(Some)
            }
            Verdict::InProcess { track_id } => {
                let issuance = self.responded()?;
                let stage = issuance.stage.in_process(track_id);
                self.advance(Issuance { stage, ..issuance }.polling(now), now)
            }
            Verdict::NotFound => self.not_found(false, now),
            Verdict::Duplicate => self.count_duplicate(now),
            Verdict::Unknown => self.hold_up(ProblemCode::AuthorityResultUnknown, self.responded()?, now),
            Verdict::Unavailable => self.not_received(ProblemCode::AuthorityUnavailable, now),
            Verdict::Blocked(code) => self.not_received(code, now),
        }
    }

    fn accept(&mut self, acceptance: Acceptance, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let SignedDocument { numbered, signed, .. } = self.submitted_document()?.clone();
        let render_retry = RenderRetry::after(0, now).filter(|_| signed.printed.is_none());
        let issued = Issued { numbered, signed, at: now, acceptance, render_retry };
        self.step(DocumentTrigger::Accepted, DocumentStage::Issued(issued), now)
    }

    /// Counts a report of a used number. This very document may have used the number, so a look-up comes first.
    fn count_duplicate(&mut self, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let mut issuance = self.responded()?;
        if let Some(document) = issuance.stage.document_mut() {
            document.duplicates = document.duplicates.saturating_add(1);
        }
        if issuance.stage.duplicates() >= Issuance::MOST_DUPLICATES {
            let code = ProblemCode::DuplicateNumber;
            return self.refuse(code, code.spends_number(), now).map(Some);
        }
        self.hold_up(ProblemCode::AuthorityResultUnknown, issuance, now)
    }

    /// Queues a document that the authority provably has not received: the same bytes are sent again later.
    fn not_received(&mut self, code: ProblemCode, now: DateTime<Utc>) -> Result<Option<Event>, Conflict> {
        let issuance = self.responded()?;
        let stage = issuance.stage.not_received().queued();
        self.hold_up(code, Issuance { stage, ..issuance }, now)
    }

    /// Issuance of a submitted document, which leaves the queue since the authority has responded.
    pub(super) fn responded(&self) -> Result<Issuance, Conflict> {
        let mut issuance = self.on_its_way()?;
        if issuance.stage.submitted_at().is_none() {
            return Err(Conflict::PaymentNotEditable);
        }
        let dispatch = issuance.stage.dispatch_mut().ok_or(Conflict::PaymentNotEditable)?;
        dispatch.queue = dispatch.queue.left();
        Ok(issuance)
    }

    /// The signed document, if this revision was submitted.
    fn submitted_document(&self) -> Result<&SignedDocument, Conflict> {
        let stage = self.stage().issuance().map(|issuance| &issuance.stage);
        let submitted = stage.filter(|stage| stage.submitted_at().is_some());
        submitted.and_then(|stage| stage.document()).ok_or(Conflict::PaymentNotEditable)
    }
}
