use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Money,
    refund::{AcquirerReference, RefundFailureCode, RefundFinding, ReturnMethod},
};

use crate::{AttemptRef, NotSubmitted};

/// Request for a void or a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRequest {
    /// The attempt of the void or the refund.
    pub attempt: AttemptRef,
    /// When the attempt was opened: look-ups list the transactions from that day on.
    pub opened_at: DateTime<Utc>,
    /// The charge.
    pub of: RefundedCharge,
    /// Amount to return. A void returns the whole charge.
    pub amount: Money,
    /// ITBIS within the amount.
    pub itbis: Money,
    /// The operation.
    pub method: ReturnMethod,
}

impl RefundRequest {
    /// Whether the request returns the whole charge.
    pub fn is_whole(&self) -> bool {
        self.amount == self.of.amount
    }
}

/// Charge whose money is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundedCharge {
    /// The attempt of the sale, or of the hold that was captured.
    pub attempt: AttemptId,
    /// The provider's reference of the sale or the capture, if known.
    pub reference: Option<String>,
    /// Captured amount.
    pub amount: Money,
    /// ITBIS within the captured amount.
    pub itbis: Money,
    /// When the money was captured.
    pub captured_at: DateTime<Utc>,
}

/// Outcome of the call of a void or a refund.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundResponse {
    /// The money is returned.
    Approved {
        /// Operation that returned the money: for a refund also a void that was in doubt or refused before.
        method: ReturnMethod,
        /// The provider's reference of the operation, if any.
        reference: Option<AcquirerReference>,
    },
    /// The provider refuses, and no money moved. After a void, a refund may follow.
    Refused(RefundFailureCode),
    /// The call may have moved money: look up, never repeat.
    Ambiguous,
    /// The call provably moved no money.
    NotSubmitted(NotSubmitted),
}

/// Result of the look-up of a void or a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundLookup {
    /// The finding.
    pub finding: RefundFinding,
    /// The provider's reference of the operation that was found.
    pub reference: Option<AcquirerReference>,
}

impl From<RefundFinding> for RefundLookup {
    fn from(finding: RefundFinding) -> Self {
        Self { finding, reference: None }
    }
}

/// The provider gave no complete list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the provider gave no complete list of returns")]
pub struct ReturnsUnlisted;
