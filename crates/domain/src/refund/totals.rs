//! Comparison of a payment's sums with its refunds.

use super::{LegStatus, Refund};
use crate::payment::RefundTotals;

impl RefundTotals {
    /// Whether these are all refunds of the payment, with the money of the same time.
    pub fn agrees_with<'a>(&self, refunds: impl IntoIterator<Item = &'a Refund>) -> bool {
        let (mut count, mut returned, mut pending) = (0_u32, 0_i64, 0_i64);
        for refund in refunds {
            count = count.saturating_add(1);
            for leg in refund.legs() {
                match leg.status() {
                    LegStatus::Succeeded => returned = returned.saturating_add(leg.amount),
                    status if status.is_open() => pending = pending.saturating_add(leg.amount),
                    _ => {}
                }
            }
        }
        (count, returned, pending) == (self.count, self.returned, self.pending)
    }
}
