//! Contradictions between refunds and their sale.

/// The refunds contradict their sale: a fault that an operator must examine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefundContradiction {
    /// The change contradicts the balance of the payment.
    #[error("the change contradicts the balance of the payment")]
    Balance,
    /// The stored lines or sums contradict the sale.
    #[error("the stored refunds contradict their sale")]
    Stored,
    /// The sale has no such refund.
    #[error("the sale has no such refund")]
    UnknownRefund,
    /// The payment has no such charge.
    #[error("the payment has no such charge")]
    UnknownCharge,
    /// A credit note contradicts its original.
    #[error("a credit note contradicts its original")]
    Note,
}
