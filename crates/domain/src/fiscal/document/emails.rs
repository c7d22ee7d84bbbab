//! E-mails of a document.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict, FiscalDocumentId,
    fiscal::{DocumentEmail, DocumentStatus, EmailDelivery, EmailFollowUp, EmailStatus},
    mailing::Mailing,
    text::Email,
};

impl FiscalDocument {
    /// Returns the e-mail that was requested together with the document, if any.
    pub fn first_delivery(&self) -> Option<DocumentEmail> {
        let (document, at) = (self.facts.id.clone(), self.facts.created_at);
        let mailing = Mailing::waiting();
        self.state.delivery.email.clone().map(|email| DocumentEmail { document, number: 0, email, at, mailing })
    }

    /// Requests an e-mail of the document: the document shows this delivery from now on. The stage stays.
    ///
    /// # Errors
    ///
    /// [`Conflict::FiscalArtifactNotReady`] for a canceled document.
    pub fn request_delivery(
        &mut self,
        number: u32,
        email: Email,
        now: DateTime<Utc>,
    ) -> Result<DocumentEmail, Conflict> {
        if self.status() == DocumentStatus::Canceled {
            return Err(Conflict::FiscalArtifactNotReady);
        }
        self.state.delivery = EmailDelivery::requested(Some(email.clone()));
        self.moved(now);
        let is_issued = self.status() == DocumentStatus::Issued;
        let mailing = if is_issued { Mailing::ready(now) } else { Mailing::waiting() };
        Ok(DocumentEmail { document: self.facts.id.clone(), number, email, at: now, mailing })
    }

    /// Shows the status of the last requested e-mail.
    pub fn show_delivery(&mut self, status: &EmailStatus, now: DateTime<Utc>) {
        if self.state.delivery.shows(status.clone()) {
            self.moved(now);
        }
    }

    /// Returns the change of the document's waiting e-mails, now that the document has left `from`.
    pub fn deliveries_follow(&self, from: DocumentStatus) -> Option<(FiscalDocumentId, EmailFollowUp)> {
        // Without a request there are no e-mails.
        self.state.delivery.email.as_ref()?;
        Some((self.facts.id.clone(), EmailFollowUp::of(from, self.status())?))
    }
}
