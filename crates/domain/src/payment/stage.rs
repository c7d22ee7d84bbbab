//! Facts of a payment at each stage.

use chrono::{DateTime, Utc};

use super::{Challenged, Decline, PaymentStatus, Verification};
use crate::{AttemptId, split::Split};

/// Stage of a payment. One variant per status, with exactly the facts of the stage.
///
/// A decline exists only in a declined payment and a verification only in a payment in doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waiting for the customer, perhaps at the issuer's challenge.
    RequiresCustomerAction(Option<Challenged>),
    /// Shared by several payers: the status is computed from their parts.
    Split(Split),
    /// A card was submitted to the provider.
    Processing(PendingAttempt),
    /// The provider's response was unclear.
    Verifying(Verification),
    /// Paid.
    Succeeded {
        /// Time at which the approval became known.
        at: DateTime<Utc>,
    },
    /// Refused by the issuer.
    Declined {
        /// The refusal.
        decline: Decline,
        /// Time of the decline.
        at: DateTime<Utc>,
    },
    /// Canceled.
    Canceled {
        /// Time of the cancellation.
        at: DateTime<Utc>,
    },
    /// The window closed unpaid.
    Expired {
        /// Time of the expiry.
        at: DateTime<Utc>,
    },
}

/// An attempt that is with the provider now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAttempt {
    /// The attempt.
    pub attempt: AttemptId,
    /// Time of the submission, or of its last continuation.
    pub since: DateTime<Utc>,
    /// The decline to which the payment returns if the request was not submitted.
    pub before: Option<Decline>,
}

impl Stage {
    /// The published name of the stage.
    pub fn status(&self) -> PaymentStatus {
        match self {
            Self::Split(split) => split.payment_status(),
            Self::RequiresCustomerAction(_) => PaymentStatus::RequiresCustomerAction,
            Self::Processing(_) => PaymentStatus::Processing,
            Self::Verifying(_) => PaymentStatus::Verifying,
            Self::Succeeded { .. } => PaymentStatus::Succeeded,
            Self::Declined { .. } => PaymentStatus::Declined,
            Self::Canceled { .. } => PaymentStatus::Canceled,
            Self::Expired { .. } => PaymentStatus::Expired,
        }
    }

    /// Returns the attempt in flight or in doubt; `None` for a split.
    pub const fn attempt(&self) -> Option<&AttemptId> {
        match self {
            Self::RequiresCustomerAction(Some(it)) => Some(&it.attempt),
            Self::Processing(submission) => Some(&submission.attempt),
            Self::Verifying(verification) => Some(&verification.attempt),
            _ => None,
        }
    }
}
