//! Events of refunds.

use super::RefundStatus;

/// Kind of an event of a refund. One event for each entry of a status, and none for a return to `processing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefundEvent {
    /// The refund was requested.
    Created,
    /// A leg came into doubt.
    Verifying {
        /// Status before.
        previous: RefundStatus,
    },
    /// A leg in doubt was handed to an operator.
    VerificationEscalated,
    /// Every leg was returned.
    Succeeded {
        /// Status before; `None` for a refund that began so.
        previous: Option<RefundStatus>,
    },
    /// Some legs were returned.
    PartiallySucceeded {
        /// Status before.
        previous: RefundStatus,
    },
    /// No leg was returned.
    Failed {
        /// Status before.
        previous: RefundStatus,
    },
    /// The money was found at the acquirer.
    FoundAtProvider,
    /// The acquirer returned more than the charge.
    OverReturned,
}

impl RefundEvent {
    /// Returns the published kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "refund.created",
            Self::Verifying { .. } => "refund.verifying",
            Self::VerificationEscalated => "refund.verification_escalated",
            Self::Succeeded { .. } => "refund.succeeded",
            Self::PartiallySucceeded { .. } => "refund.partially_succeeded",
            Self::Failed { .. } => "refund.failed",
            Self::FoundAtProvider => "refund.found_at_provider",
            Self::OverReturned => "refund.over_returned",
        }
    }

    /// Returns the status before; `None` without a change of status.
    pub const fn previous_status(self) -> Option<RefundStatus> {
        match self {
            Self::Verifying { previous } | Self::PartiallySucceeded { previous } | Self::Failed { previous } => {
                Some(previous)
            }
            Self::Succeeded { previous } => previous,
            Self::Created | Self::VerificationEscalated | Self::FoundAtProvider | Self::OverReturned => None,
        }
    }

    /// Returns the event of a refund that has entered `status`; `None` if the status has none, or was not left.
    pub(super) fn entering(previous: Option<RefundStatus>, status: RefundStatus) -> Option<Self> {
        if previous == Some(status) {
            return None;
        }
        match (status, previous) {
            (RefundStatus::Succeeded, previous) => Some(Self::Succeeded { previous }),
            (RefundStatus::Verifying, Some(previous)) => Some(Self::Verifying { previous }),
            (RefundStatus::PartiallySucceeded, Some(previous)) => Some(Self::PartiallySucceeded { previous }),
            (RefundStatus::Failed, Some(previous)) => Some(Self::Failed { previous }),
            _ => None,
        }
    }
}
