//! A sale: a payment and its fiscal document, opened together and moved together.

mod choose;
mod open;
mod share;

pub use choose::{Choice, Correction, Proposal};
pub use open::{AmountDraft, DocumentDraft, SaleContext, SaleDraft, SaleIds};

use chrono::{DateTime, Utc};

use crate::{
    AttemptId, Conflict, Event, FiscalDocument, Payment, Refusal,
    attempt::CardSummary,
    fiscal::{DocumentKind, DocumentStatus},
    merchant::{CheckoutMode, MerchantDisplay},
    payment::{Finding, PaymentStatus, ProviderOutcome},
    text::Line,
};

/// A payment with its fiscal document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sale {
    /// The money.
    pub payment: Payment,
    /// The document.
    pub document: FiscalDocument,
}

/// How the checkout presents a sale; frozen when it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutDisplay {
    /// How much it shows.
    pub mode: CheckoutMode,
    /// In which language.
    pub locale: Line<2, 16>,
    /// Who sells.
    pub merchant: MerchantDisplay,
    /// The kinds of document that can be chosen.
    pub available_kinds: Vec<DocumentKind>,
    /// Whether the legal service charge applies at this merchant.
    pub is_propina_applicable: bool,
    /// Published names of the wallets.
    pub wallets: Vec<String>,
    /// Published names of the card brands.
    pub card_brands: Vec<String>,
    /// Published names of the 3-D Secure programs.
    pub three_ds_programs: Vec<String>,
}

impl Sale {
    /// A card is submitted. Commit this before the provider hears of it.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the payment's state, or
    /// [`Conflict::FiscalBuyerRequired`] while the document lacks the buyer that it needs.
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

    /// The provider answered; the document follows the money.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of [`Payment::answered`].
    pub fn answered(
        &mut self,
        attempt: &AttemptId,
        answer: ProviderOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.answered(attempt, answer, now)?;
        self.follow(events, now)
    }

    /// A look-up answered; the document follows the money.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of [`Payment::looked_up`].
    pub fn looked_up(
        &mut self,
        attempt: &AttemptId,
        finding: Finding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.looked_up(attempt, finding, now)?;
        self.follow(events, now)
    }

    /// Time passed: a window ends. Of a split, lost calls come into doubt and reservations lapse, too.
    ///
    /// A challenge that nobody came back from does not end by itself: what became of it is looked up.
    pub fn expire_due(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        if self.payment.split().is_some() {
            let events = self.payment.expire_split(now)?;
            return self.follow(events, now);
        }
        let events = self.payment.expire(now).into_iter().collect();
        self.follow(events, now)
    }

    /// The merchant gives up the sale.
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
                // Money moved, but not all: what to do about it is for the merchant to say.
                PaymentStatus::PartiallyPaid => {}
                _ => events.push(self.document.cancel(now)?),
            }
        }
        Ok(events)
    }
}
