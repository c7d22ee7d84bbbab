//! What a document shows of its delivery by e-mail.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict,
    fiscal::{Delivery, DocumentEmail, DocumentStatus, EmailFollowUp, EmailStatus},
    mailing::Mailing,
    text::Email,
};

impl FiscalDocument {
    /// What was asked for together with the document, if anything was.
    pub fn first_delivery(&self) -> Option<DocumentEmail> {
        let (document, at) = (self.facts.id.clone(), self.facts.created_at);
        let mailing = Mailing::waiting();
        self.state.delivery.email.clone().map(|email| DocumentEmail { document, number: 0, email, at, mailing })
    }

    /// Somebody wants the document by e-mail: it shows this delivery from now on. Its stage stays as it is.
    ///
    /// # Errors
    ///
    /// [`Conflict::FiscalArtifactNotReady`] once it is canceled.
    pub fn request_delivery(
        &mut self,
        number: u32,
        email: Email,
        now: DateTime<Utc>,
    ) -> Result<DocumentEmail, Conflict> {
        if self.status() == DocumentStatus::Canceled {
            return Err(Conflict::FiscalArtifactNotReady);
        }
        self.state.delivery = Delivery::requested(Some(email.clone()));
        self.moved(now);
        let is_issued = self.status() == DocumentStatus::Issued;
        let mailing = if is_issued { Mailing::ready(now) } else { Mailing::waiting() };
        Ok(DocumentEmail { document: self.facts.id.clone(), number, email, at: now, mailing })
    }

    /// The delivery that was asked for last has come so far.
    pub fn show_delivery(&mut self, status: &EmailStatus, now: DateTime<Utc>) {
        if self.state.delivery.shows(status.clone()) {
            self.moved(now);
        }
    }

    /// What becomes of the deliveries that wait for it, now that it has left `from`.
    pub fn deliveries_follow(&self, from: DocumentStatus) -> Option<EmailFollowUp> {
        // Where nobody asked there are none.
        self.state.delivery.email.as_ref().and_then(|_| EmailFollowUp::of(from, self.status()))
    }
}
