//! Credit notes of a sale: request, begin, correction and cancellation.

use chrono::{DateTime, Utc};

use super::{NoteReason, OriginalDocument, RefundContradiction, RefundedSale};
use crate::{
    Conflict, Event, FiscalDocument, FiscalDocumentId, RefundId,
    fiscal::{DocumentStatus, NoteText},
};

impl RefundedSale {
    /// Corrects the rejected credit note of a refund: the same lines and amounts, with another text if there is one.
    ///
    /// # Errors
    ///
    /// [`Conflict::FiscalCorrectionNotAllowed`] unless the refund has a note that the merchant can correct.
    pub fn correct_note(
        &mut self,
        id: &RefundId,
        description: Option<NoteText>,
        now: DateTime<Utc>,
    ) -> Result<Event, Conflict> {
        let note = self.notes.iter_mut().find(|note| note.refund() == Some(id));
        let event = note.ok_or(Conflict::FiscalCorrectionNotAllowed)?.correct_note(description.clone(), now)?;
        if let Some(refund) = self.refund_mut(id).filter(|_| description.is_some()) {
            refund.describe(description, now);
        }
        Ok(event)
    }

    /// Follows the sale's document: requested notes begin once it is issued. A document that is rejected after everything
    /// was returned is canceled with its notes, because it has no tax effect.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Note`] if a note contradicts its original.
    pub fn advance_notes(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, RefundContradiction> {
        if self.is_everything_returned() && self.sale.document.status() == DocumentStatus::Rejected {
            return self.cancel_document(now);
        }
        let original = &self.sale.document;
        if original.status() != DocumentStatus::Issued {
            return Ok(Vec::new());
        }
        let waiting = self.notes.iter_mut().filter(|note| note.status() == DocumentStatus::Requested);
        // A corrected note has a later revision, and is due by itself.
        let first_revision = waiting.filter(|note| note.state().revision == 1);
        first_revision.map(|note| note.begin_note(original, now).map_err(|_| RefundContradiction::Note)).collect()
    }

    /// Requests the note of a refund that has ended, or cancels the documents of a sale that was returned whole before its
    /// document was accepted.
    pub(super) fn finish(
        &mut self,
        id: &RefundId,
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, RefundContradiction> {
        let document = &self.sale.document;
        let has_no_effect = matches!(document.status(), DocumentStatus::Requested | DocumentStatus::Rejected);
        if has_no_effect && self.is_everything_returned() {
            return self.cancel_document(now);
        }
        if !matches!(document.status(), DocumentStatus::Issued | DocumentStatus::Canceled) {
            self.sale.document.touch_for_refund(now);
        }
        let (document, refund) = (&self.sale.document, self.existing(id)?);
        let Some(credited) = &refund.state().note else { return Ok(Vec::new()) };
        let has_notes = self.notes.iter().any(FiscalDocument::is_effective_note);
        let reason = NoteReason {
            refund: id.clone(),
            modification: OriginalDocument::of(document, has_notes).modification(credited.total()),
            text: NoteText::parse(refund.modification_text()).ok_or(RefundContradiction::Note)?,
        };
        let content = credited.content(document, reason).ok_or(RefundContradiction::Note)?;
        let (requested, event) = FiscalDocument::request_note(note, document, content, now);
        self.notes.push(requested);
        // A note that begins at once was never `requested`.
        let begun = self.advance_notes(now)?.into_iter().map(|event| Event { previous_status: None, ..event });
        let begun: Vec<Event> = begun.collect();
        Ok(if begun.is_empty() { vec![event] } else { begun })
    }

    /// Cancels the sale's document and its notes.
    fn cancel_document(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, RefundContradiction> {
        let notes = self
            .notes
            .iter_mut()
            .filter(|note| matches!(note.status(), DocumentStatus::Requested | DocumentStatus::Rejected));
        let documents = std::iter::once(&mut self.sale.document).chain(notes);
        documents.map(|document| document.cancel_refunded(now).map_err(|_| RefundContradiction::Note)).collect()
    }
}
