//! Attribution of money that was found at the acquirer.

use super::{
    BlockingRefund, CreditNote, FoundAmounts, LineCredit, PaymentRefundability, PlannedLeg, Refund, RefundAmounts,
    RefundContext, RefundPlan, RefundRefusal, RefundScope, RefundSelection, RefundSettlement, RefundStatus, Retryable,
    checks::{check_document, check_note_account, check_remaining},
    draft::LineFault,
    end::partial_note,
};
use crate::{Conflict, Unprocessable};

impl FoundAmounts {
    /// Returns the plan if no merchant must attribute the money: the sale has no document, or nothing of the charge
    /// remained and no refund is unfinished. Such a refund has reason `other` and no note.
    pub fn without_attribution(&self, context: &RefundContext<'_>) -> Option<RefundPlan> {
        let amount = self.attributable();
        let is_surplus = amount == 0 && context.blocking != Some(BlockingRefund::Unfinished);
        let needs_none = context.remaining.document.is_none() || is_surplus;
        let requested = RefundAmounts { amount, voluntary_tip: 0 };
        needs_none.then(|| self.plan(RefundScope::Amount, requested, None, context))
    }

    /// Returns the plan of a late approval of a failed leg, which then counts as a retry: if the leg was the only failed
    /// one, its amount agrees, no refund is unfinished, and the plan still fits. Else the money is unattributed.
    ///
    /// `retried` is the failed part of the refund with that leg, if no other refund has retried it.
    pub fn as_retry(&self, retried: Option<&Retryable>, context: &RefundContext<'_>) -> Option<RefundPlan> {
        let retried = retried.filter(|retried| retried.legs == [(self.ordinal, self.total)])?;
        let is_within_tip = retried.amounts.voluntary_tip <= context.remaining.voluntary_tip;
        if context.blocking == Some(BlockingRefund::Unfinished) || self.excess > 0 || !is_within_tip {
            return None;
        }
        let undocumented = context.remaining.undocumented;
        let note = match &context.remaining.document {
            Some(lines) if retried.amounts.amount > 0 => {
                let note = CreditNote::of(lines, retried.credits.clone())?;
                let is_exact = note.total().checked_sub(undocumented) == Some(retried.amounts.amount);
                Some(note).filter(|_| is_exact).map(Some)?
            }
            _ => None,
        };
        Some(self.plan(RefundScope::Retry, retried.amounts, note, context))
    }

    /// Decides about an attribution whose selection is valid by itself. See [`Refund::plan_attribution`].
    fn attribute(
        &self,
        selection: &RefundSelection,
        acknowledges_itbis_loss: bool,
        context: &RefundContext<'_>,
    ) -> Result<RefundPlan, RefundRefusal> {
        if context.blocking == Some(BlockingRefund::Unfinished) {
            return Err(RefundRefusal::of(Conflict::RefundInProgress));
        }
        // While a bill may still be paid, its document is not certain.
        if context.payment != PaymentRefundability::Refundable {
            let message = "Payers may still complete this bill. The return can be attributed after that.";
            return Err(RefundRefusal::at(Conflict::RefundDocumentUnsettled, "scope").with_message(message));
        }
        let credits = selection.credits(&context.remaining);
        check_document(selection, &credits, context)?;
        check_remaining(selection, &credits, context)?;
        check_note_account(selection, context)?;
        let credits: Result<Vec<_>, _> = credits.into_iter().collect();
        let credits = credits.map_err(LineFault::into_refusal)?;
        let (requested, note) = self.credited(selection, credits, context)?;
        self.plan(selection.scope(), requested, note, context).acknowledged(acknowledges_itbis_loss)
    }

    /// Returns the money and the note of a selection, if the selection accounts for all attributable money.
    fn credited(
        &self,
        selection: &RefundSelection,
        credits: Vec<LineCredit>,
        context: &RefundContext<'_>,
    ) -> Result<(RefundAmounts, Option<CreditNote>), RefundRefusal> {
        let remaining = &context.remaining;
        let note = match (&remaining.document, selection) {
            (Some(lines), RefundSelection::Amount(amount, _)) => {
                let amount = amount.minor_units().saturating_add(remaining.undocumented);
                partial_note(lines, &lines.everything(), amount)
            }
            _ => selection.note(credits, context)?,
        };
        let requested = selection.requested(note.as_ref(), context);
        let found = self.attributable();
        if requested.total() == Some(found) {
            return Ok((requested, note));
        }
        let param = match selection {
            RefundSelection::All | RefundSelection::Tip(_) | RefundSelection::Retry => "scope",
            RefundSelection::Lines(..) => "lines",
            RefundSelection::Amount(..) => "amount.minorUnits",
        };
        let requested = remaining.text(requested.total().unwrap_or(i64::MAX));
        let message = format!("The selected part is {requested}, but {} was returned.", remaining.text(found));
        Err(RefundRefusal::at(Unprocessable::FiscalTotalMismatch, param).with_message(message))
    }

    fn plan(
        &self,
        scope: RefundScope,
        requested: RefundAmounts,
        note: Option<CreditNote>,
        context: &RefundContext<'_>,
    ) -> RefundPlan {
        let itbis = note.as_ref().map_or(0, CreditNote::itbis);
        let legs = vec![PlannedLeg { ordinal: self.ordinal, amount: self.total, itbis, method: self.method }];
        RefundPlan::new(scope, RefundSettlement::Acquirer, requested, note, legs, context)
    }
}

impl Refund {
    /// Decides about an attribution by the merchant. The money is fixed: the selection must account for all of the
    /// attributable money. `context` is the state without this refund.
    ///
    /// # Errors
    ///
    /// The first [`RefundRefusal`] in the published order.
    pub fn plan_attribution(
        &self,
        selection: &RefundSelection,
        acknowledges_itbis_loss: bool,
        context: &RefundContext<'_>,
    ) -> Result<RefundPlan, RefundRefusal> {
        selection.check(context.remaining.currency, context.remaining.document.as_ref())?;
        let found = self.found_amounts().filter(|_| self.status() == RefundStatus::Unattributed);
        let found = found.ok_or_else(|| RefundRefusal::of(Conflict::RefundNotAttributable))?;
        found.attribute(selection, acknowledges_itbis_loss, context)
    }
}
