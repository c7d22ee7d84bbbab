//! A sale with its refunds: what remains, and what each refund changes beside itself.

use chrono::{DateTime, Utc};

use super::{
    AccountState, AcquirerReference, Balance, BalanceViolation, CapturedCharge, FoundReturn, LegMethod, LegStatus,
    LineCredit, NoteReason, OriginalDocument, PaymentRefundability, Refund, RefundContext, RefundEnd, RefundEvent,
    RefundFacts, RefundPlan, RefundReason, RefundStatus, RefundTerms, Remaining, RemainingLines, Retryable,
};
use crate::{
    Event, FiscalDocument, FiscalDocumentId, RefundId, attempt::CardSummary, fiscal::DocumentStatus, sale::Sale,
    text::BoundedText,
};

/// A refund and its credit note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRecord {
    /// The refund.
    pub refund: Refund,
    /// The credit note; `None` until the last leg ends, and if no document is credited.
    pub note: Option<FiscalDocument>,
}

/// A sale with its refunds, oldest first, and their credit notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundedSale {
    /// The sale.
    pub sale: Sale,
    /// Every refund, oldest first.
    pub refunds: Vec<Refund>,
    /// Every credit note.
    pub notes: Vec<FiscalDocument>,
}

/// Money that was found at the acquirer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMoney {
    /// Facts of the refund that records the money.
    pub facts: RefundFacts,
    /// The part of the split; `None` without a split.
    pub ordinal: Option<u8>,
    /// Amount in minor units.
    pub amount: i64,
    /// Operation at the acquirer.
    pub method: LegMethod,
    /// The acquirer's name of the operation.
    pub reference: AcquirerReference,
    /// The card of the charge.
    pub card: Option<CardSummary>,
    /// The refund with the failed leg whose money this is, if any.
    pub late: Option<RefundId>,
}

impl RefundedSale {
    /// Returns the refund of that name.
    pub fn refund(&self, id: &RefundId) -> Option<&Refund> {
        self.refunds.iter().find(|refund| refund.facts.id == *id)
    }

    /// Returns the refund of that name, to be changed.
    pub fn refund_mut(&mut self, id: &RefundId) -> Option<&mut Refund> {
        self.refunds.iter_mut().find(|refund| refund.facts.id == *id)
    }

    /// Returns the credit note of a refund.
    pub fn note_of(&self, id: &RefundId) -> Option<&FiscalDocument> {
        self.notes.iter().find(|note| note.refund() == Some(id))
    }

    /// Returns a refund with its credit note.
    pub fn record(&self, id: &RefundId) -> Option<RefundRecord> {
        let refund = self.refund(id)?.clone();
        Some(RefundRecord { note: self.note_of(id).cloned(), refund })
    }

    /// Returns the charges with the money of all refunds but `without`.
    pub fn charges(&self, without: Option<&RefundId>) -> Vec<CapturedCharge> {
        let mut charges = CapturedCharge::of(&self.sale.payment);
        let refunds = self.refunds.iter().filter(|refund| Some(&refund.facts.id) != without);
        for leg in refunds.flat_map(Refund::legs) {
            let Some(charge) = charges.iter_mut().find(|charge| charge.ordinal == leg.ordinal) else { continue };
            match leg.status() {
                LegStatus::Succeeded => {
                    charge.returned = charge.returned.saturating_add(leg.amount);
                    charge.is_refunded_at_provider |= leg.state().method != LegMethod::Outside;
                }
                LegStatus::Processing | LegStatus::Verifying => {
                    charge.pending = charge.pending.saturating_add(leg.amount);
                }
                LegStatus::Failed => {}
            }
        }
        charges
    }

    /// Returns what remains after all refunds but `without`; `None` if the stored refunds contradict the sale.
    pub fn remaining(&self, without: Option<&RefundId>) -> Option<Remaining<'_>> {
        let refunds = self.refunds.iter().filter(|refund| Some(&refund.facts.id) != without);
        let notes = refunds.filter_map(|refund| refund.state().note.as_ref());
        let credits: Vec<LineCredit> = notes.flat_map(|note| note.lines.iter().copied()).collect();
        Remaining::of(&self.sale, self.charges(without), &credits, &Balance::of(&self.sale.payment)?)
    }

    /// Returns the facts for a decision about a request, or about the attribution of `attributed`. `retried` is the refund
    /// that the request retries. `None` if the stored refunds contradict the sale.
    pub fn context(
        &self,
        attributed: Option<&RefundId>,
        retried: Option<&RefundId>,
        (terms, account): (RefundTerms, AccountState),
        now: DateTime<Utc>,
    ) -> Option<RefundContext<'_>> {
        let is_other = |refund: &&Refund| Some(&refund.facts.id) != attributed;
        let statuses = self.refunds.iter().filter(is_other).map(Refund::status);
        let is_open = |status: &RefundStatus| match status {
            RefundStatus::Processing | RefundStatus::Verifying | RefundStatus::Unattributed => true,
            RefundStatus::Succeeded | RefundStatus::PartiallySucceeded | RefundStatus::Failed => false,
        };
        // An unfinished refund refuses more operations than an unattributed one.
        let other = statuses.filter(is_open).min_by_key(|status| *status == RefundStatus::Unattributed);
        let has_notes = self.notes.iter().any(FiscalDocument::is_effective_note);
        let has_document = !self.sale.payment.is_left_in_part();
        Some(RefundContext {
            remaining: self.remaining(attributed)?,
            payment: PaymentRefundability::of(&self.sale.payment),
            other,
            original: has_document.then(|| OriginalDocument::of(&self.sale.document, has_notes)),
            retried: retried.and_then(|id| self.retryable(id)),
            terms,
            account,
            now,
        })
    }

    /// Returns the failed part of a refund that no other refund has retried.
    pub fn retryable(&self, id: &RefundId) -> Option<Retryable> {
        let is_retried = self.refunds.iter().any(|refund| refund.facts.retried.as_ref() == Some(id));
        self.refund(id).filter(|_| !is_retried)?.retryable()
    }

    /// Adds a new refund with its first events. A refund outside the acquirer ends at once; `note` is the name of its
    /// credit note.
    ///
    /// # Errors
    ///
    /// [`BalanceViolation`] if less remains.
    pub fn begin(
        &mut self,
        (refund, events): (Refund, Vec<RefundEvent>),
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, BalanceViolation> {
        let mut balance = self.balance()?.begin(refund.state().requested)?;
        for leg in refund.legs().iter().filter(|leg| !leg.status().is_open()) {
            balance = balance.end_leg(leg.amount, leg.status() == LegStatus::Succeeded)?;
        }
        let has_ended = refund.state().ended_at.is_some();
        let id = refund.facts.id.clone();
        self.refunds.push(refund);
        let mut events: Vec<Event> = events.into_iter().map(Event::from).collect();
        if has_ended {
            let result = self.result(&id)?;
            balance = balance.end(self.requested(&id)?, result.returned, result.undocumented)?;
            self.sale.payment.record_refunds(&balance, now);
            events.extend(self.finish(&id, note, now)?);
        } else {
            self.sale.payment.record_refunds(&balance, now);
        }
        Ok(events)
    }

    /// Counts the legs of a refund that have ended since `before`, and ends the refund after its last leg. Returns the
    /// events of the note and of the sale's document; those of the refund are the caller's. `note` is the name of the
    /// credit note.
    ///
    /// # Errors
    ///
    /// [`BalanceViolation`] if the legs contradict the balance.
    pub fn follow(
        &mut self,
        before: &Refund,
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, BalanceViolation> {
        let id = before.facts.id.clone();
        let mut balance = self.balance()?;
        let after = self.refund(&id).ok_or(BalanceViolation)?;
        for (was, is) in before.legs().iter().zip(after.legs()) {
            if was.status().is_open() && !is.status().is_open() {
                balance = balance.end_leg(is.amount, is.status() == LegStatus::Succeeded)?;
            }
        }
        let lines = self.remaining(Some(&id)).ok_or(BalanceViolation)?.document;
        let mut ended = after.clone();
        let end = ended.end(lines.as_ref(), now);
        if let Some(end) = &end {
            balance = balance.end(ended.state().requested, end.returned, end.undocumented)?;
            *self.refund_mut(&id).ok_or(BalanceViolation)? = ended;
        }
        if *self.refund(&id).ok_or(BalanceViolation)? != *before {
            self.sale.payment.record_refunds(&balance, now);
        }
        if end.is_some() { self.finish(&id, note, now) } else { Ok(Vec::new()) }
    }

    /// Records money that was found at the acquirer as a refund. The money of a failed leg counts as a retry if the plan
    /// still fits. `note` is the name of the credit note.
    ///
    /// # Errors
    ///
    /// [`BalanceViolation`] if the payment has no such charge, or if the refunds contradict the balance.
    pub fn record_found(
        &mut self,
        money: FoundMoney,
        note: FiscalDocumentId,
        (terms, account): (RefundTerms, AccountState),
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, BalanceViolation> {
        let FoundMoney { mut facts, ordinal, amount, method, reference, card, late } = money;
        let context = self.context(None, None, (terms, account), now).ok_or(BalanceViolation)?;
        let charge = context.remaining.charge(ordinal).ok_or(BalanceViolation)?;
        let found = FoundReturn::of(charge, amount, method);
        let retryable = late.as_ref().and_then(|id| self.retryable(id));
        let attributed = match found.as_retry(retryable.as_ref(), &context) {
            Some(plan) => {
                let before = late.as_ref().and_then(|id| self.refund(id)).ok_or(BalanceViolation)?.state();
                let reason = before.reason.unwrap_or(RefundReason::Other);
                facts.retried = late;
                Some((plan, reason, before.description.clone()))
            }
            None => found.settled(&context).map(|plan| (plan, RefundReason::Other, None)),
        };
        let id = facts.id.clone();
        let mut balance = self.balance()?.found(found.total, found.excess)?;
        let is_attributed = attributed.is_some();
        let (refund, events) = Refund::found(facts, found, reference, card, attributed);
        self.refunds.push(refund);
        let mut events: Vec<Event> = events.into_iter().map(Event::from).collect();
        if is_attributed {
            let result = self.result(&id)?;
            balance = balance.attribute(self.requested(&id)?, result.undocumented)?;
        }
        self.sale.payment.record_refunds(&balance, now);
        if is_attributed {
            events.extend(self.finish(&id, note, now)?);
        }
        Ok(events)
    }

    /// Attributes found money by a plan. `note` is the name of the credit note.
    ///
    /// # Errors
    ///
    /// [`BalanceViolation`] if the plan contradicts the balance, or without such a refund.
    pub fn attribute(
        &mut self,
        id: &RefundId,
        plan: RefundPlan,
        (reason, description): (RefundReason, Option<BoundedText<1, 90>>),
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, BalanceViolation> {
        let refund = self.refund_mut(id).ok_or(BalanceViolation)?;
        let mut events: Vec<Event> =
            refund.attribute(plan, reason, description, now).into_iter().map(Event::from).collect();
        let result = self.result(id)?;
        let balance = self.balance()?.attribute(self.requested(id)?, result.undocumented)?;
        self.sale.payment.record_refunds(&balance, now);
        events.extend(self.finish(id, note, now)?);
        Ok(events)
    }

    /// Follows the sale's document: requested notes begin once it is issued. A document that is rejected after everything
    /// was returned is canceled with its notes, because it has no tax effect.
    ///
    /// # Errors
    ///
    /// [`BalanceViolation`] if a note contradicts its original.
    pub fn follow_document(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, BalanceViolation> {
        if self.is_everything_returned() && self.sale.document.status() == DocumentStatus::Rejected {
            return self.cancel_document(now);
        }
        let original = &self.sale.document;
        if original.status() != DocumentStatus::Issued {
            return Ok(Vec::new());
        }
        let waiting = self.notes.iter_mut().filter(|note| note.status() == DocumentStatus::Requested);
        let first_revision = waiting.filter(|note| note.state().revision == 1);
        first_revision.map(|note| note.begin_note(original, now).map_err(|_| BalanceViolation)).collect()
    }

    /// Whether everything that was captured was returned.
    pub fn is_everything_returned(&self) -> bool {
        Balance::of(&self.sale.payment).is_some_and(|balance| balance.is_everything_returned())
    }

    fn balance(&self) -> Result<Balance, BalanceViolation> {
        Balance::of(&self.sale.payment).ok_or(BalanceViolation)
    }

    fn requested(&self, id: &RefundId) -> Result<super::RefundAmounts, BalanceViolation> {
        Ok(self.refund(id).ok_or(BalanceViolation)?.state().requested)
    }

    fn result(&self, id: &RefundId) -> Result<RefundEnd, BalanceViolation> {
        let lines: Option<RemainingLines<'_>> = self.remaining(Some(id)).ok_or(BalanceViolation)?.document;
        Ok(self.refund(id).ok_or(BalanceViolation)?.result(lines.as_ref()))
    }

    /// Requests the note of a refund that has ended, or cancels the documents of a sale that was returned whole before its
    /// document was accepted.
    fn finish(
        &mut self,
        id: &RefundId,
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, BalanceViolation> {
        let document = &self.sale.document;
        let has_no_effect = matches!(document.status(), DocumentStatus::Requested | DocumentStatus::Rejected);
        if has_no_effect && self.is_everything_returned() {
            return self.cancel_document(now);
        }
        if !matches!(document.status(), DocumentStatus::Issued | DocumentStatus::Canceled) {
            self.sale.document.follow_refund(now);
        }
        let (document, refund) = (&self.sale.document, self.refund(id).ok_or(BalanceViolation)?);
        let Some(credited) = &refund.state().note else { return Ok(Vec::new()) };
        let has_notes = self.notes.iter().any(FiscalDocument::is_effective_note);
        let reason = NoteReason {
            refund: id.clone(),
            modification: OriginalDocument::of(document, has_notes).modification(credited.total()),
            text: BoundedText::parse(refund.modification_text()).ok_or(BalanceViolation)?,
        };
        let content = credited.content(document, reason).ok_or(BalanceViolation)?;
        let (requested, event) = FiscalDocument::request_note(note, document, content, now);
        self.notes.push(requested);
        // A note that begins at once was never `requested`.
        let begun = self.follow_document(now)?.into_iter().map(|event| Event { previous_status: None, ..event });
        let begun: Vec<Event> = begun.collect();
        Ok(if begun.is_empty() { vec![event] } else { begun })
    }

    /// Cancels the sale's document and its notes.
    fn cancel_document(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, BalanceViolation> {
        let notes = self
            .notes
            .iter_mut()
            .filter(|note| matches!(note.status(), DocumentStatus::Requested | DocumentStatus::Rejected));
        let documents = std::iter::once(&mut self.sale.document).chain(notes);
        documents.map(|document| document.cancel_refunded(now).map_err(|_| BalanceViolation)).collect()
    }
}
