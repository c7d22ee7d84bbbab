//! Merchants that return money, at the till and at the provider's portal, and their accountants.

use std::sync::Arc;

use domain::{
    Currency, Money, PaymentId, Refund, RefundId,
    fiscal::{DocumentStatus, FiscalLine, Quantity},
    refund::{
        LegStatus, LineKey, LinePart, LineSelection, PartAmount, RefundDraft, RefundSelection, RefundSettlement,
        RefundStatus,
    },
};

use crate::{client::Command, executor::Process, world::World};

/// An accountant looks at the refunds this often, in milliseconds.
const ACCOUNTING: u64 = 5 * 60 * 60 * 1000;
/// So often an accountant looks.
const ROUNDS: u32 = 12;

impl World {
    /// Lets clerks return the money of a sale, partly at the portal.
    pub(crate) fn open_returns(self: &Arc<Self>, n: u32, payment: &PaymentId) {
        for clerk in 0..1 + self.below(3) {
            let (world, payment) = (self.clone(), payment.clone());
            let who = format!("refund-{n}-{clerk}");
            self.executor.spawn(Process::OUTSIDE, async move { world.return_sale(&payment, &who).await });
        }
        if self.below(4) == 3 {
            let (world, payment) = (self.clone(), payment.clone());
            self.executor.spawn(Process::OUTSIDE, async move { world.return_at_portal(&payment).await });
        }
        let (world, payment) = (self.clone(), payment.clone());
        self.executor.spawn(Process::OUTSIDE, async move { world.keep_accounts(n, &payment).await });
    }

    /// Sends a few refunds of a sale, once it is paid.
    async fn return_sale(self: Arc<Self>, payment: &PaymentId, who: &str) {
        for _ in 0..30 {
            self.executor.pause(u64::from(self.below(30_000)) + 5_000).await;
            if !self.tables.lock().charges(payment).is_empty() {
                break;
            }
        }
        for attempt in 0..1 + self.below(3) {
            let delay = if self.below(6) == 5 { self.below(40) * 3_600_000 } else { self.below(90_000) };
            self.executor.pause(delay.into()).await;
            if let Some((draft, retried)) = self.draw_refund(payment) {
                let command = Command::Refund(payment.clone(), Box::new(draft), retried);
                self.command(&format!("{who}-{attempt}"), command).await;
            }
        }
    }

    /// Draws a request for a refund of a part that the payment has.
    fn draw_refund(&self, payment: &PaymentId) -> Option<(RefundDraft, Option<RefundId>)> {
        let sale = self.tables.lock().refunded_sale(payment)?;
        let failed =
            sale.refunds.iter().rfind(|refund| refund.legs().iter().any(|leg| leg.status() == LegStatus::Failed));
        if let Some(failed) = failed.filter(|_| self.below(2) == 1) {
            let draft = self.draft(RefundSelection::Retry, None);
            return Some((draft, Some(failed.facts.id.clone())));
        }
        let lines = &sale.sale.document.content().lines;
        let total = sale.sale.payment.facts.amount.minor_units();
        let selection = match self.below(5) {
            0 => RefundSelection::All,
            1 | 2 => self.draw_lines(lines),
            3 => RefundSelection::Amount(self.some_of(total), None),
            _ => RefundSelection::Tip(self.some_of(sale.sale.payment.state().voluntary_tip.minor_units())),
        };
        let parts = sale.sale.payment.split().filter(|_| self.below(4) == 3).and_then(|split| {
            let amount = if let RefundSelection::Amount(amount, _) = &selection { *amount } else { return None };
            let ordinal = split.parts().get(self.below(4) as usize)?.ordinal;
            Some(vec![PartAmount { ordinal, amount }])
        });
        Some((self.draft(selection, parts), None))
    }

    fn draft(&self, selection: RefundSelection, parts: Option<Vec<PartAmount>>) -> RefundDraft {
        let is_outside = self.below(6) == 5;
        let settlement = if is_outside { RefundSettlement::Outside } else { RefundSettlement::Acquirer };
        RefundDraft { selection, settlement, parts, acknowledges_itbis_loss: false }
    }

    fn draw_lines(&self, lines: &[FiscalLine]) -> RefundSelection {
        let place = self.below(u32::try_from(lines.len()).unwrap_or(1)) as usize;
        let part = match (self.below(2), lines.get(place)) {
            (1, Some(line)) => LinePart::Net(self.some_of(line.unit_price_minor_units).minor_units()),
            _ => LinePart::Quantity(Quantity::one()),
        };
        let line = LineKey::Number(u16::try_from(place + 1).unwrap_or(u16::MAX));
        RefundSelection::Lines(vec![LineSelection { line, part }], None)
    }

    /// Returns an amount from one centavo to `most`.
    fn some_of(&self, most: i64) -> Money {
        let drawn = self.below(u32::try_from(most).unwrap_or(1));
        Money::new((most - i64::from(drawn)).max(1), Currency::Dop)
    }

    /// Returns a part of a charge at the provider's portal.
    async fn return_at_portal(self: Arc<Self>, payment: &PaymentId) {
        let delay = if self.below(3) == 2 { self.below(20) * 3_600_000 } else { self.below(900_000) };
        self.executor.pause(delay.into()).await;
        let charges = self.bank.lock().charges_of(payment);
        let Some((charge, _)) = charges.get(self.below(4) as usize) else { return };
        let Some((captured, _)) = self.bank.lock().captured(charge) else { return };
        let amount = if self.below(2) == 0 { captured } else { self.some_of(captured).minor_units() };
        let is_done = self.bank.lock().return_at_portal(charge, amount, self.executor.now());
        self.report(Process::OUTSIDE, || format!("portal: {amount} of {charge}: {is_done}"));
    }

    /// Attributes found money and corrects rejected notes, now and then.
    async fn keep_accounts(self: Arc<Self>, n: u32, payment: &PaymentId) {
        for round in 0..ROUNDS {
            self.executor.pause(ACCOUNTING).await;
            let Some(sale) = self.tables.lock().refunded_sale(payment) else { return };
            let is_found = |refund: &&Refund| refund.status() == RefundStatus::Unattributed;
            if let Some(found) = sale.refunds.iter().find(is_found) {
                let requested = found.state().requested.total().unwrap_or_default();
                let selection = match self.below(2) {
                    0 => RefundSelection::Amount(Money::new(requested, Currency::Dop), None),
                    _ => RefundSelection::All,
                };
                let command = Command::Attribute(found.facts.id.clone(), selection);
                self.command(&format!("attribute-{n}-{round}"), command).await;
            }
            let rejected = sale.notes.iter().find(|note| note.status() == DocumentStatus::Rejected);
            if let Some(refund) = rejected.and_then(|note| note.refund()) {
                let command = Command::Correct(refund.clone());
                self.command(&format!("correct-{n}-{round}"), command).await;
            }
        }
    }
}
