//! Amounts of a refund, and the remaining money and lines of its sale.

use super::{CapturedCharge, RemainingLines};
use crate::{Currency, Money};

/// Money of a refund, in minor units: of the amount of the sale, and of the voluntary tip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefundAmounts {
    /// Of the amount of the sale.
    pub amount: i64,
    /// Of the voluntary tip.
    pub voluntary_tip: i64,
}

impl RefundAmounts {
    /// Returns both together; `None` on overflow.
    pub const fn total(&self) -> Option<i64> {
        self.amount.checked_add(self.voluntary_tip)
    }

    /// Returns the amounts in returned money of `total`: first the amount, then the tip.
    pub fn in_returned(&self, total: i64) -> Self {
        let amount = self.amount.min(total);
        Self { amount, voluntary_tip: total.saturating_sub(amount).min(self.voluntary_tip) }
    }
}

/// Part of a sale that no refund has taken yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remaining<'a> {
    /// Currency of the sale.
    pub currency: Currency,
    /// Lines of the fiscal document; `None` if the sale ended without a document.
    pub document: Option<RemainingLines<'a>>,
    /// Voluntary tip, in minor units.
    pub voluntary_tip: i64,
    /// Returned money of the document that no note states yet, in minor units. The next note states it.
    pub undocumented: i64,
    /// Charges, by ordinal.
    pub charges: Vec<CapturedCharge>,
}

impl Remaining<'_> {
    /// Returns the money, the voluntary tip included.
    pub fn money(&self) -> i64 {
        self.charges.iter().fold(0, |sum, charge| sum.saturating_add(charge.remaining()))
    }

    /// Returns the money of open legs.
    pub fn pending(&self) -> i64 {
        self.charges.iter().fold(0, |sum, charge| sum.saturating_add(charge.pending))
    }

    /// Returns the money of the document; without a document, all money.
    pub fn amount(&self) -> i64 {
        match &self.document {
            Some(lines) => lines.total().saturating_sub(self.undocumented),
            None => self.money(),
        }
    }

    /// Returns everything.
    pub fn everything(&self) -> RefundAmounts {
        RefundAmounts { amount: self.amount(), voluntary_tip: self.voluntary_tip }
    }

    /// Returns the charge of that ordinal.
    pub fn charge(&self, ordinal: Option<u8>) -> Option<&CapturedCharge> {
        self.charges.iter().find(|charge| charge.ordinal == ordinal)
    }

    /// Returns an amount in major units, for messages.
    pub(super) fn text(&self, minor_units: i64) -> String {
        Money::new(minor_units, self.currency).decimal_text()
    }
}
