//! What a document shows of its delivery by e-mail.

use chrono::{DateTime, Utc};

use super::FiscalDocument;
use crate::{
    Conflict,
    fiscal::{DeliveriesFollow, Delivery, DeliveryStatus, DocumentStatus, RequestedDelivery},
    mailing::Mailing,
    text::Email,
};

impl FiscalDocument {
    /// What was asked for together with the document, if anything was.
    pub fn first_delivery(&self) -> Option<RequestedDelivery> {
        let (document, at) = (self.facts.id.clone(), self.facts.created_at);
        let mailing = Mailing::waiting();
        self.state.delivery.email.clone().map(|email| RequestedDelivery { document, number: 0, email, at, mailing })
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
    ) -> Result<RequestedDelivery, Conflict> {
        if self.status() == DocumentStatus::Canceled {
            return Err(Conflict::FiscalArtifactNotReady);
        }
        self.state.delivery = Delivery::requested(Some(email.clone()));
        self.moved(now);
        let is_issued = self.status() == DocumentStatus::Issued;
        let mailing = if is_issued { Mailing::ready(now) } else { Mailing::waiting() };
        Ok(RequestedDelivery { document: self.facts.id.clone(), number, email, at: now, mailing })
    }

    /// The delivery that was asked for last has come so far.
    pub fn show_delivery(&mut self, status: &DeliveryStatus, now: DateTime<Utc>) {
        if self.state.delivery.shows(status.clone()) {
            self.moved(now);
        }
    }

    /// What becomes of the deliveries that wait for it, now that it has left `from`.
    pub fn deliveries_follow(&self, from: DocumentStatus) -> Option<DeliveriesFollow> {
        // Where nobody asked there are none.
        self.state.delivery.email.as_ref().and_then(|_| DeliveriesFollow::of(from, self.status()))
    }
}
