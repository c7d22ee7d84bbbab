//! Money of a payment that refunds have taken.

use super::{CapturedCharge, LegResult, RefundAmounts, RefundContradiction};
use crate::{
    Currency, Money, Payment,
    payment::{PaymentStatus, RefundTotals},
};

/// Money of a payment: what was captured, and what refunds have taken. No value breaks the rules of
/// [`Balance::restore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Captured money, the voluntary tip included, in minor units.
    captured: i64,
    /// Voluntary tip that was captured, in minor units.
    tip: i64,
    totals: RefundTotals,
    currency: Currency,
}

/// Sums that are published with a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefundSummary {
    /// Returned money.
    pub refunded: Money,
    /// Money of the open legs.
    pub pending: Money,
    /// Money that a refund can take, the voluntary tip included.
    pub refundable: Money,
    /// Voluntary tip that a refund can take.
    pub refundable_tip: Money,
    /// Number of refunds, of every status.
    pub count: u32,
    /// Undocumented money, see the glossary.
    pub undocumented: Money,
}

impl Balance {
    /// Returns the balance of a payment. The voluntary tip of a bill that is finally paid in part counts as other money.
    ///
    /// `None` if the stored sums break the rules.
    pub fn of(payment: &Payment) -> Option<Self> {
        let currency = payment.facts.amount.currency();
        let captured = CapturedCharge::of(payment).iter().map(|charge| charge.captured).sum();
        let has_tip = payment.status() == PaymentStatus::Succeeded;
        let tip = if has_tip { payment.state().voluntary_tip.minor_units() } else { 0 };
        Self::restore(Money::new(captured, currency), tip, payment.state().refunds)
    }

    /// Returns the balance of captured money with these sums of its refunds.
    ///
    /// `None` if an amount is negative, if returned and pending money is more than captured and over-returned money,
    /// if the captured or the taken tip is more than there is, or if more is undocumented than was returned.
    pub fn restore(captured: Money, tip: i64, totals: RefundTotals) -> Option<Self> {
        let (captured, currency) = (captured.minor_units(), captured.currency());
        let RefundTotals { returned, pending, over_returned, taken_tip, undocumented, .. } = totals;
        let amounts = [captured, returned, pending, over_returned, tip, taken_tip, undocumented];
        let taken = returned.checked_add(pending)?;
        let is_right = amounts.iter().all(|amount| *amount >= 0)
            && taken <= captured.checked_add(over_returned)?
            && over_returned <= returned
            && tip <= captured
            && taken_tip <= tip
            && undocumented <= returned;
        is_right.then_some(Self { captured, tip, totals, currency })
    }

    /// Returns the captured money, in minor units.
    pub const fn captured(&self) -> i64 {
        self.captured
    }

    /// Whether everything that was captured was returned.
    pub const fn is_everything_returned(&self) -> bool {
        self.captured > 0 && self.totals.returned.saturating_sub(self.totals.over_returned) >= self.captured
    }

    /// Returns the sums of the refunds.
    pub const fn totals(&self) -> &RefundTotals {
        &self.totals
    }

    /// Returns the published sums.
    pub fn summary(&self) -> RefundSummary {
        let RefundTotals { returned, pending, taken_tip, undocumented, count, .. } = self.totals;
        let money = |minor_units: i64| Money::new(minor_units, self.currency);
        RefundSummary {
            refunded: money(returned),
            pending: money(pending),
            refundable: money(self.captured.saturating_sub(returned).saturating_sub(pending).max(0)),
            refundable_tip: money(self.tip.saturating_sub(taken_tip)),
            count,
            undocumented: money(undocumented),
        }
    }

    /// Counts a new refund: the amounts are pending.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Balance`] if less remains.
    pub fn begin(&self, requested: RefundAmounts) -> Result<Self, RefundContradiction> {
        self.changed(|totals| {
            totals.pending = totals.pending.checked_add(requested.total()?)?;
            totals.taken_tip = totals.taken_tip.checked_add(requested.voluntary_tip)?;
            totals.count = totals.count.checked_add(1)?;
            Some(())
        })
    }

    /// Counts a leg that has ended.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Balance`] if less is pending.
    pub fn end_leg(&self, amount: i64, result: LegResult) -> Result<Self, RefundContradiction> {
        self.changed(|totals| {
            totals.pending = totals.pending.checked_sub(amount)?;
            totals.returned = totals.returned.checked_add(if result == LegResult::Returned { amount } else { 0 })?;
            Some(())
        })
    }

    /// Counts the end of a refund: the tip that was not returned remains, and the note states all except `undocumented`.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Balance`] if more tip was returned than requested, or if more is undocumented than was returned.
    pub fn end(
        &self,
        requested: RefundAmounts,
        returned: RefundAmounts,
        undocumented: i64,
    ) -> Result<Self, RefundContradiction> {
        self.changed(|totals| {
            let rest = requested.voluntary_tip.checked_sub(returned.voluntary_tip).filter(|rest| *rest >= 0)?;
            totals.taken_tip = totals.taken_tip.checked_sub(rest)?;
            totals.undocumented = undocumented;
            Some(())
        })
    }

    /// Counts a refund that was found at the acquirer. `excess` is the amount beyond the charge.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Balance`] if the excess is more than the amount, or less than the amount beyond the payment.
    pub fn found(&self, amount: i64, excess: i64) -> Result<Self, RefundContradiction> {
        self.changed(|totals| {
            totals.returned = totals.returned.checked_add(amount)?;
            totals.over_returned =
                totals.over_returned.checked_add(excess).filter(|_| (0..=amount).contains(&excess))?;
            totals.count = totals.count.checked_add(1)?;
            Some(())
        })
    }

    /// Counts an attribution: its voluntary tip, and the money that stays undocumented.
    ///
    /// # Errors
    ///
    /// [`RefundContradiction::Balance`] if less tip remains, or if more is undocumented than was returned.
    pub fn attribute(&self, attributed: RefundAmounts, undocumented: i64) -> Result<Self, RefundContradiction> {
        self.changed(|totals| {
            totals.taken_tip = totals.taken_tip.checked_add(attributed.voluntary_tip)?;
            totals.undocumented = undocumented;
            Some(())
        })
    }

    fn changed(&self, change: impl Fn(&mut RefundTotals) -> Option<()>) -> Result<Self, RefundContradiction> {
        let mut totals = self.totals;
        change(&mut totals).ok_or(RefundContradiction::Balance)?;
        Self::restore(Money::new(self.captured, self.currency), self.tip, totals).ok_or(RefundContradiction::Balance)
    }
}

impl Payment {
    /// Returns the published sums of the refunds; `None` while no money was captured.
    pub fn refund_summary(&self) -> Option<RefundSummary> {
        Balance::of(self).filter(|balance| balance.captured() > 0).map(|balance| balance.summary())
    }
}
