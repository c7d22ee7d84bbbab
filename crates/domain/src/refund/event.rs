//! Events of refunds.

use super::RefundStatus;
use crate::{Event, EventKind};

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
    pub const fn kind(self) -> EventKind {
        match self {
            Self::Created => EventKind::RefundCreated,
            Self::Verifying { .. } => EventKind::RefundVerifying,
            Self::VerificationEscalated => EventKind::RefundVerificationEscalated,
            Self::Succeeded { .. } => EventKind::RefundSucceeded,
            Self::PartiallySucceeded { .. } => EventKind::RefundPartiallySucceeded,
            Self::Failed { .. } => EventKind::RefundFailed,
            Self::FoundAtProvider => EventKind::RefundFoundAtProvider,
            Self::OverReturned => EventKind::RefundOverReturned,
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

impl From<RefundEvent> for Event {
    fn from(event: RefundEvent) -> Self {
        let previous_status = event.previous_status().map(RefundStatus::as_str);
        Self { previous_status, ..Self::new(event.kind()) }
    }
}
