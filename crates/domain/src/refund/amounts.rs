//! Amounts of a refund.

use super::{CapturedCharge, ChargeOrdinal, LegMethod};

/// Money of a refund, in minor units: of the amount of the sale, and of the voluntary tip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefundAmounts {
    /// Of the amount of the sale.
    pub amount: i64,
    /// Of the voluntary tip.
    pub voluntary_tip: i64,
}

impl RefundAmounts {
    /// Returns the sum; `None` on overflow.
    pub const fn total(&self) -> Option<i64> {
        self.amount.checked_add(self.voluntary_tip)
    }

    /// Divides the returned money `total`: first the amount, then the tip.
    pub fn in_returned(&self, total: i64) -> Self {
        let amount = self.amount.min(total);
        Self { amount, voluntary_tip: total.saturating_sub(amount).min(self.voluntary_tip) }
    }
}

/// Returned money of a refund, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnedMoney {
    /// The returned part of the requested money.
    pub amounts: RefundAmounts,
    /// Sum of the succeeded legs, which may include money beyond the charge.
    pub total: i64,
}

/// Amounts of money that was found at the acquirer, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundAmounts {
    /// The charge.
    pub ordinal: ChargeOrdinal,
    /// Returned amount.
    pub total: i64,
    /// The part of the amount that was more than remained of the charge.
    pub excess: i64,
    /// Operation at the acquirer.
    pub method: LegMethod,
}

impl FoundAmounts {
    /// Returns the found money of a charge. `charge` is the charge before.
    pub fn of(charge: &CapturedCharge, total: i64, method: LegMethod) -> Self {
        let excess = total.saturating_sub(charge.remaining()).max(0);
        Self { ordinal: charge.ordinal, total, excess, method }
    }

    /// Returns the money to attribute.
    pub const fn attributable(&self) -> i64 {
        self.total.saturating_sub(self.excess)
    }
}
