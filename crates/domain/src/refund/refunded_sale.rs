//! A sale with its refunds: the rest, and the changes of payment, documents and notes by each refund.

use chrono::{DateTime, Utc};

use super::{
    AcquirerReference, Balance, BlockingRefund, CapturedCharge, ChargeOrdinal, FoundAmounts, LegMethod, LegStatus,
    LineCredit, OriginalDocument, PaymentRefundability, Refund, RefundAmounts, RefundConditions, RefundContext,
    RefundContradiction, RefundEnd, RefundFacts, RefundPlan, RefundPurpose, RefundReason, RefundStatus, Remaining,
    Retryable,
};
use crate::{Event, FiscalDocument, FiscalDocumentId, RefundId, attempt::CardSummary, sale::Sale};

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

/// Money of a charge that was found at the acquirer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMoney {
    /// The charge.
    pub ordinal: ChargeOrdinal,
    /// Amount in minor units.
    pub amount: i64,
    /// Operation at the acquirer.
    pub method: LegMethod,
    /// Reference of the operation at the acquirer.
    pub reference: AcquirerReference,
    /// The refund with the failed leg whose money this is, if any.
    pub late: Option<RefundId>,
}

impl RefundedSale {
    /// Returns the refund with this ID.
    pub fn refund(&self, id: &RefundId) -> Option<&Refund> {
        self.refunds.iter().find(|refund| refund.facts.id == *id)
    }

    /// Returns the refund with this ID, to be changed.
    pub fn refund_mut(&mut self, id: &RefundId) -> Option<&mut Refund> {
        self.refunds.iter_mut().find(|refund| refund.facts.id == *id)
    }

    /// Returns the refund with this ID, which must exist.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::UnknownRefund`].
    pub fn existing(&self, id: &RefundId) -> Result<&Refund, RefundContradiction> {
        self.refund(id).ok_or(RefundContradiction::UnknownRefund)
    }

    fn existing_mut(&mut self, id: &RefundId) -> Result<&mut Refund, RefundContradiction> {
        self.refund_mut(id).ok_or(RefundContradiction::UnknownRefund)
    }

    /// Returns the card of a charge.
    pub fn card_of(&self, ordinal: ChargeOrdinal) -> Option<CardSummary> {
        let payment = &self.sale.payment;
        match ordinal {
            None => payment.state().method.clone(),
            Some(ordinal) => payment.split()?.part(ordinal)?.state().method.clone(),
        }
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

    /// Returns the charges with the money of all refunds except `without`.
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

    /// Returns what remains after all refunds except `without`; `None` if the stored refunds contradict the sale.
    pub fn remaining(&self, without: Option<&RefundId>) -> Option<Remaining<'_>> {
        let refunds = self.refunds.iter().filter(|refund| Some(&refund.facts.id) != without);
        let notes = refunds.filter_map(|refund| refund.state().note.as_ref());
        let credits: Vec<LineCredit> = notes.flat_map(|note| note.lines.iter().copied()).collect();
        Remaining::of(&self.sale, self.charges(without), &credits, &Balance::of(&self.sale.payment)?)
    }

    /// Returns the facts for a decision about a request, or about the attribution of `attributed`. `retried` is the refund
    /// that the request retries.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Stored`] if the stored refunds contradict the sale.
    pub fn context(
        &self,
        attributed: Option<&RefundId>,
        retried: Option<&RefundId>,
        conditions: RefundConditions,
        now: DateTime<Utc>,
    ) -> Result<RefundContext<'_>, RefundContradiction> {
        let is_other = |refund: &&Refund| Some(&refund.facts.id) != attributed;
        let blocking = |refund: &Refund| match refund.status() {
            RefundStatus::Processing | RefundStatus::Verifying => Some(BlockingRefund::Unfinished),
            RefundStatus::Unattributed => Some(BlockingRefund::Unattributed),
            RefundStatus::Succeeded | RefundStatus::PartiallySucceeded | RefundStatus::Failed => None,
        };
        let has_notes = self.notes.iter().any(FiscalDocument::is_effective_note);
        let has_document = !self.sale.payment.is_left_in_part();
        Ok(RefundContext {
            remaining: self.remaining(attributed).ok_or(RefundContradiction::Stored)?,
            payment: PaymentRefundability::of(&self.sale.payment),
            blocking: self.refunds.iter().filter(is_other).filter_map(blocking).min(),
            original: has_document.then(|| OriginalDocument::of(&self.sale.document, has_notes)),
            retried: retried.and_then(|id| self.retryable(id)),
            terms: conditions.terms,
            account: conditions.account,
            now,
        })
    }

    /// Returns the failed part of a refund that no other refund has retried.
    pub fn retryable(&self, id: &RefundId) -> Option<Retryable> {
        let is_retried = self.refunds.iter().any(|refund| refund.facts.retried.as_ref() == Some(id));
        self.refund(id).filter(|_| !is_retried)?.retryable()
    }

    /// Adds a new refund with its first events. A refund outside the acquirer ends at once; `note` is the ID of its credit
    /// note.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Balance`] if less remains.
    pub fn begin(
        &mut self,
        (refund, mut events): (Refund, Vec<Event>),
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, RefundContradiction> {
        let mut balance = self.balance()?.begin(refund.state().requested)?;
        for leg in refund.legs() {
            if let Some(result) = leg.status().result() {
                balance = balance.end_leg(leg.amount, result)?;
            }
        }
        let has_ended = refund.state().ended_at.is_some();
        let id = refund.facts.id.clone();
        self.refunds.push(refund);
        if has_ended {
            let end = |requested, result: &RefundEnd| balance.end(requested, result.returned, result.undocumented);
            events.extend(self.conclude(&id, end, note, now)?);
        } else {
            self.sale.payment.set_refunds(*balance.totals(), now);
        }
        Ok(events)
    }

    /// Counts the legs of a refund that have ended since `before`, and ends the refund after its last leg. Returns only the
    /// events of the note and of the sale's document; the caller has those of the refund. `note` is the ID of the credit
    /// note.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction`] if the legs contradict the balance.
    pub fn settle_legs(
        &mut self,
        before: &Refund,
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, RefundContradiction> {
        let id = before.facts.id.clone();
        let mut balance = self.balance()?;
        let after = self.existing(&id)?;
        for (was, is) in before.legs().iter().zip(after.legs()) {
            if let Some(result) = is.status().result().filter(|_| was.status().is_open()) {
                balance = balance.end_leg(is.amount, result)?;
            }
        }
        let lines = self.remaining(Some(&id)).ok_or(RefundContradiction::Stored)?.document;
        let mut ended = after.clone();
        let end = ended.end(lines.as_ref(), now);
        if let Some(end) = &end {
            balance = balance.end(ended.state().requested, end.returned, end.undocumented)?;
            *self.existing_mut(&id)? = ended;
        }
        if *self.existing(&id)? != *before {
            self.sale.payment.set_refunds(*balance.totals(), now);
        }
        if end.is_some() { self.finish(&id, note, now) } else { Ok(Vec::new()) }
    }

    /// Records money that was found at the acquirer as a refund with these `facts`. The money of a failed leg counts as a
    /// retry if the plan still fits. `note` is the ID of the credit note.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction`] if the payment has no such charge, or if the refunds contradict the balance.
    pub fn record_found(
        &mut self,
        mut facts: RefundFacts,
        money: FoundMoney,
        note: FiscalDocumentId,
        conditions: RefundConditions,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, RefundContradiction> {
        let FoundMoney { ordinal, amount, method, reference, late } = money;
        let context = self.context(None, None, conditions, now)?;
        let charge = context.remaining.charge(ordinal).ok_or(RefundContradiction::UnknownCharge)?;
        let found = FoundAmounts::of(charge, amount, method);
        let retryable = late.as_ref().and_then(|id| self.retryable(id));
        let attributed = match (late, found.as_retry(retryable.as_ref(), &context)) {
            (Some(late), Some(plan)) => {
                let before = self.existing(&late)?.state();
                let reason = before.reason.unwrap_or(RefundReason::Other);
                let purpose = RefundPurpose { reason, description: before.description.clone() };
                facts.retried = Some(late);
                Some((plan, purpose))
            }
            _ => found.without_attribution(&context).map(|plan| (plan, RefundReason::Other.into())),
        };
        let id = facts.id.clone();
        let balance = self.balance()?.found(found.total, found.excess)?;
        let is_attributed = attributed.is_some();
        let card = self.card_of(ordinal);
        let (refund, mut events) = Refund::found(facts, found, reference, card, attributed);
        self.refunds.push(refund);
        if is_attributed {
            let end = |requested, result: &RefundEnd| balance.attribute(requested, result.undocumented);
            events.extend(self.conclude(&id, end, note, now)?);
        } else {
            self.sale.payment.set_refunds(*balance.totals(), now);
        }
        Ok(events)
    }

    /// Attributes found money by a plan. `note` is the ID of the credit note.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction`] if the plan contradicts the balance, or without such a refund.
    pub fn attribute(
        &mut self,
        id: &RefundId,
        plan: RefundPlan,
        purpose: RefundPurpose,
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, RefundContradiction> {
        let mut events: Vec<Event> = self.existing_mut(id)?.attribute(plan, purpose, now).into_iter().collect();
        let balance = self.balance()?;
        let end = |requested, result: &RefundEnd| balance.attribute(requested, result.undocumented);
        events.extend(self.conclude(id, end, note, now)?);
        Ok(events)
    }

    /// Whether everything that was captured was returned.
    pub fn is_everything_returned(&self) -> bool {
        Balance::of(&self.sale.payment).is_some_and(|balance| balance.is_everything_returned())
    }

    fn balance(&self) -> Result<Balance, RefundContradiction> {
        Balance::of(&self.sale.payment).ok_or(RefundContradiction::Balance)
    }

    /// Counts a refund that has ended, and requests its note. `end` returns the balance after the refund, from the
    /// requested money and the result.
    fn conclude(
        &mut self,
        id: &RefundId,
        end: impl FnOnce(RefundAmounts, &RefundEnd) -> Result<Balance, RefundContradiction>,
        note: FiscalDocumentId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, RefundContradiction> {
        let lines = self.remaining(Some(id)).ok_or(RefundContradiction::Stored)?.document;
        let refund = self.existing(id)?;
        let balance = end(refund.state().requested, &refund.result(lines.as_ref()))?;
        self.sale.payment.set_refunds(*balance.totals(), now);
        self.finish(id, note, now)
    }
}
