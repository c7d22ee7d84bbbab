//! Credit notes as documents: request, start of issuing, and correction.

use chrono::{DateTime, Utc};

use super::{FiscalDocument, unnumbered};
use crate::{
    Conflict, Event, EventKind, FiscalDocumentId, RefundId,
    fiscal::{
        Content, DocumentFacts, DocumentStage, DocumentStatus, DocumentTrigger, EmailDelivery, IssuanceMode, NoteText,
        local_date,
    },
};

impl FiscalDocument {
    /// Requests the credit note of a refund. `original` gives the issuer, the exchange rate and the recipient of the
    /// e-mail. The note is requested; it begins once its original is issued.
    pub fn request_note(id: FiscalDocumentId, original: &Self, content: Content, now: DateTime<Utc>) -> (Self, Event) {
        let facts = DocumentFacts {
            id,
            issuance_mode: IssuanceMode::Deferred,
            allowed_kinds: None,
            is_kind_locked: false,
            is_buyer_locked: false,
            created_at: now,
            ..original.facts.clone()
        };
        let delivery = EmailDelivery::requested(original.state.delivery.email.clone());
        let note = Self::request(facts, content, delivery);
        let event = note.event_of_kind(Event::new(EventKind::FiscalDocumentRequested));
        (note, event)
    }

    /// Returns the event as one of `credit_note.*` if this document is a note.
    #[must_use]
    pub fn event_of_kind(&self, event: Event) -> Event {
        match self.refund() {
            Some(_) => Event { kind: event.kind.of_note(), note: Some(self.facts.id.clone()), ..event },
            None => event,
        }
    }

    /// Returns the refund of a credit note; `None` for every other kind.
    pub fn refund(&self) -> Option<&RefundId> {
        self.content().note.as_ref().map(|note| &note.refund)
    }

    /// Whether the document is a credit note whose original is issued or will be: not one that was canceled.
    pub fn is_effective_note(&self) -> bool {
        self.refund().is_some() && self.status() != DocumentStatus::Canceled
    }

    /// Records that a refund of the sale has ended before the document was issued. A concurrent step of the document is
    /// then decided again, and follows the refund.
    pub(crate) fn touch_for_refund(&mut self, now: DateTime<Utc>) {
        self.moved(now);
    }

    /// Whether a numbered credit note is late; `None` without a number, and for every other kind.
    pub fn is_numbered_late(&self) -> Option<bool> {
        self.content().note.as_ref()?.is_late(self.stage().numbered()?.issue_date)
    }

    /// Whether a credit note is late: by its day of issue, and before that by its last change. `false` until the original
    /// is issued, and for every other kind.
    pub fn is_late(&self) -> bool {
        let changed_on = local_date(self.state.updated_at);
        let at_last_change = || self.content().note.as_ref().and_then(|note| note.is_late(changed_on));
        self.is_numbered_late().or_else(at_last_change).unwrap_or(false)
    }

    /// Begins to issue a credit note, now that its original is accepted. A correction of the original may have changed
    /// the buyer and the merchant's own numbers since the request.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless the document is a requested credit note, and `original` is issued.
    pub fn begin_note(&mut self, original: &Self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let DocumentStage::Issued(issued) = original.stage() else { return Err(Conflict::PaymentNotEditable) };
        let accepted = original.content();
        let mut content = self.state.content.clone();
        content.note.as_mut().ok_or(Conflict::PaymentNotEditable)?.modified = Some(issued.numbered.clone());
        self.state.content = Content {
            buyer: accepted.buyer.clone(),
            merchant_invoice_number: accepted.merchant_invoice_number.clone(),
            merchant_order_number: accepted.merchant_order_number.clone(),
            ..content
        };
        self.step(DocumentTrigger::PaymentSucceeded, DocumentStage::Issuing(unnumbered(now)), now)
    }

    /// Corrects a rejected credit note: the same lines and amounts, with another text of the reason if `reason` has one.
    ///
    /// # Errors
    ///
    /// [`Conflict::FiscalCorrectionNotAllowed`] unless the document is a credit note that the merchant can correct.
    pub fn correct_note(&mut self, reason: Option<NoteText>, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let mut content = self.content().clone();
        let note = content.note.as_mut().ok_or(Conflict::FiscalCorrectionNotAllowed)?;
        if let Some(reason) = reason {
            note.reason = reason;
        }
        self.correct(content, now)
    }
}
