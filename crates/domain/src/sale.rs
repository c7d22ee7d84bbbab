//! Sales: a payment and its fiscal document, which change together.

mod choose;
mod draft;
mod share;

pub use crate::merchant::CheckoutDisplay;
pub use choose::{Choice, Correction, Proposal};
pub use draft::{AmountDraft, DocumentDraft, SaleContext, SaleDraft, SaleIds};

use chrono::{DateTime, Utc};

use crate::{
    AttemptId, Conflict, Event, FiscalDocument, Payment, Refusal,
    attempt::CardSummary,
    fiscal::DocumentStatus,
    payment::{AttemptFinding, PaymentStatus, ProviderOutcome},
};

/// A payment with its fiscal document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sale {
    /// The money.
    pub payment: Payment,
    /// The document.
    pub document: FiscalDocument,
}

impl Sale {
    /// Submits a card. Commit this before the call to the provider.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the payment's state, or [`Conflict::FiscalBuyerRequired`] for a document without its
    /// required buyer.
    pub fn submit(&mut self, attempt: AttemptId, card: CardSummary, now: DateTime<Utc>) -> Result<Event, Refusal> {
        let mut payment = self.payment.clone();
        let event = payment.submit(attempt, card, now).map_err(|code| match code {
            Conflict::PaymentSplitPartRequired => Refusal::at(code, "partOrdinal"),
            _ => Refusal::of(code),
        })?;
        if self.document.lacks_buyer() {
            return Err(Refusal::at(Conflict::FiscalBuyerRequired, "buyer"));
        }
        self.payment = payment;
        Ok(event)
    }

    /// Applies the provider's response; the document follows the money.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of [`Payment::apply_outcome`].
    pub fn apply_outcome(
        &mut self,
        attempt: &AttemptId,
        outcome: ProviderOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.apply_outcome(attempt, outcome, now)?;
        self.follow(events, now)
    }

    /// Applies the result of a look-up; the document follows the money.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of [`Payment::apply_finding`].
    pub fn apply_finding(
        &mut self,
        attempt: &AttemptId,
        finding: AttemptFinding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.apply_finding(attempt, finding, now)?;
        self.follow(events, now)
    }

    /// Applies the passage of time: windows end, and in a split, lost calls come into doubt and reservations lapse.
    ///
    /// An abandoned challenge does not end automatically: its attempt is looked up.
    pub fn expire_due(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        if self.payment.split().is_some() {
            let events = self.payment.expire_split(now)?;
            return self.follow(events, now);
        }
        let events = self.payment.expire(now).into_iter().collect();
        self.follow(events, now)
    }

    /// The merchant cancels the sale.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of [`Payment::cancel`]; of a split that is captured, in part or whole, or
    /// already released.
    pub fn cancel(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let events = match self.payment.split() {
            Some(_) => self.payment.on_split(now, |split| split.cancel(now))?,
            None => vec![self.payment.cancel(now)?],
        };
        self.follow(events, now)
    }

    /// Moves a document that waits for the payment to where the payment has gone.
    fn follow(&mut self, mut events: Vec<Event>, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        if self.document.status() == DocumentStatus::Requested && self.payment.is_terminal() {
            match self.payment.status() {
                PaymentStatus::Succeeded => events.push(self.document.begin_issuing(now)?),
                // A part of the money has moved: the merchant decides about the rest.
                PaymentStatus::PartiallyPaid => {}
                _ => events.push(self.document.cancel(now)?),
            }
        }
        Ok(events)
    }
}
