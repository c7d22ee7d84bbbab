//! The facts that a payment carries at each stage.

use chrono::{DateTime, Utc};

use super::{Challenged, Decline, PaymentStatus, Verification};
use crate::{AttemptId, split::Split};

/// One variant per status, holding what only that stage knows.
///
/// A decline exists only while declined and a verification only while verifying, so neither can
/// be forgotten or left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waiting for the customer, who may be with the issuer of their card.
    RequiresCustomerAction(Option<Challenged>),
    /// Shared by several payers: the status is computed from their parts.
    Split(Split),
    /// A card is at the provider.
    Processing(Submission),
    /// The provider's answer was unclear.
    Verifying(Verification),
    /// Paid.
    Succeeded {
        /// When the money was known to have moved.
        at: DateTime<Utc>,
    },
    /// Refused by the issuer.
    Declined {
        /// The refusal.
        decline: Decline,
        /// When.
        at: DateTime<Utc>,
    },
    /// Given up.
    Canceled {
        /// When.
        at: DateTime<Utc>,
    },
    /// The window closed unpaid.
    Expired {
        /// When.
        at: DateTime<Utc>,
    },
}

/// An attempt that is with the provider now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The attempt.
    pub attempt: AttemptId,
    /// When it was submitted, or last went on.
    pub since: DateTime<Utc>,
    /// The decline that the payment returns to if nothing was submitted after all.
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

    /// The attempt that is with the provider, or in doubt; of a split, ask its parts.
    pub const fn attempt(&self) -> Option<&AttemptId> {
        match self {
            Self::RequiresCustomerAction(Some(it)) => Some(&it.attempt),
            Self::Processing(submission) => Some(&submission.attempt),
            Self::Verifying(verification) => Some(&verification.attempt),
            _ => None,
        }
    }
}
