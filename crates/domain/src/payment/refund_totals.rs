//! Sums over the refunds of a payment.

/// Sums over all refunds of a payment, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefundTotals {
    /// Money of the succeeded legs.
    pub returned: i64,
    /// Money of the open legs.
    pub pending: i64,
    /// Money that the acquirer returned beyond a charge.
    pub over_returned: i64,
    /// Voluntary tip that refunds have returned or that is pending.
    pub taken_tip: i64,
    /// Undocumented money, see the glossary.
    pub undocumented: i64,
    /// Number of refunds, of every status.
    pub count: u32,
}

impl RefundTotals {
    /// Whether money of the document was returned or is pending, beside the voluntary tip.
    pub const fn has_document_money(&self) -> bool {
        let taken = self.returned.saturating_add(self.pending).saturating_sub(self.over_returned);
        taken > self.taken_tip
    }
}
