//! Part of a sale that no refund has taken yet.

use super::{Balance, CapturedCharge, ChargeOrdinal, LineCredit, RefundAmounts, RemainingLines};
use crate::{Currency, Money, sale::Sale};

/// Part of a sale that no refund has taken yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remaining<'a> {
    /// Currency of the sale.
    pub currency: Currency,
    /// Lines of the fiscal document; `None` if the sale ended without a document.
    pub document: Option<RemainingLines<'a>>,
    /// Voluntary tip, in minor units.
    pub voluntary_tip: i64,
    /// Undocumented money, see the glossary, in minor units.
    pub undocumented: i64,
    /// Charges, by ordinal.
    pub charges: Vec<CapturedCharge>,
}

impl<'a> Remaining<'a> {
    /// Returns the rest of a sale after refunds: its charges with the money of their legs, the credits of all notes, the
    /// planned ones included, and the balance. A sale that is finally paid in part has no document.
    ///
    /// `None` if the credits are more than the document.
    pub fn of(sale: &'a Sale, charges: Vec<CapturedCharge>, credits: &[LineCredit], balance: &Balance) -> Option<Self> {
        let lines = (&sale.document.content().lines, sale.document.facts.rate.as_ref());
        let document = match sale.payment.is_left_in_part() {
            true => None,
            false => Some(RemainingLines::of(lines.0, lines.1, credits)?),
        };
        Some(Self {
            currency: sale.payment.facts.amount.currency(),
            document,
            voluntary_tip: balance.summary().refundable_tip.minor_units(),
            undocumented: balance.totals().undocumented,
            charges,
        })
    }

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

    /// Returns all remaining money.
    pub fn everything(&self) -> RefundAmounts {
        RefundAmounts { amount: self.amount(), voluntary_tip: self.voluntary_tip }
    }

    /// Returns the charge of that ordinal.
    pub fn charge(&self, ordinal: ChargeOrdinal) -> Option<&CapturedCharge> {
        self.charges.iter().find(|charge| charge.ordinal == ordinal)
    }

    /// Returns an amount in major units, for messages.
    pub(super) fn text(&self, minor_units: i64) -> String {
        Money::new(minor_units, self.currency).decimal_text()
    }
}
