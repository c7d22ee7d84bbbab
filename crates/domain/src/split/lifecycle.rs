//! Lifecycle of a part, one edge per line.
//!
//! [`next`] is the only source: the code follows it, the tests walk it, and `docs/generated/split-lifecycle.md` is
//! printed from it.

use crate::Conflict;

spelled! {
    /// The published status of a part.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum PartStatus {
        /// Waiting for the payer.
        Unpaid = "unpaid",
        /// A card is at the provider.
        Processing = "processing",
        /// The funds are reserved.
        Authorized = "authorized",
        /// The reservation is being captured.
        Capturing = "capturing",
        /// The reservation is being released.
        Releasing = "releasing",
        /// The provider's response was unclear; look-ups decide.
        Verifying = "verifying",
        /// Refused by the issuer.
        Declined = "declined",
        /// The reservation was captured.
        Succeeded = "succeeded",
        /// Released; no funds are reserved.
        Released = "released",
        /// The window ended; no funds are reserved.
        Expired = "expired",
    }
}

/// State of a part: its status, and in doubt also the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the status of that name, or that in doubt")]
pub enum PartState {
    Unpaid,
    Processing,
    VerifyingAuthorization,
    Authorized,
    Capturing,
    VerifyingCapture,
    Releasing,
    VerifyingRelease,
    Declined,
    Succeeded,
    Released,
    Expired,
}

/// Trigger of a change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartTrigger {
    /// A card was made durable.
    Submitted,
    /// The issuer requires authentication of the payer.
    ChallengeRequired,
    /// The payer came back from the challenge.
    ChallengeReturned,
    /// The funds are reserved.
    Approved,
    /// The funds are reserved, and the window is over.
    ApprovedTooLate,
    /// The issuer refused, or the challenge failed.
    Declined,
    /// The same, and the window is over.
    DeclinedTooLate,
    /// Unknown outcome: timeout, malformed response, unknown code.
    Ambiguous,
    /// No funds were reserved.
    NotExecuted,
    /// The request was not submitted; the part was declined before.
    NotExecutedAfterDecline,
    /// No funds were reserved, and the window is over.
    NotExecutedTooLate,
    /// The organizer requests the capture.
    CaptureRequested,
    /// The money moved.
    Captured,
    /// Neither captured nor released: the funds are reserved as before.
    StillHeld,
    /// The reservation ended without a capture.
    HoldGone,
    /// The organizer, or the merchant, releases the part.
    ReleaseRequested,
    /// The reservation is gone, as the organizer or the merchant wished.
    Released,
    /// The reservation is gone, as the end of the window wished.
    ReleasedByExpiry,
    /// The issuer's validity of the reservation is over.
    Lapsed,
    /// The same, and the window is over.
    LapsedTooLate,
    /// The window closed.
    WindowClosed,
    /// A new window was opened.
    Renewed,
}

/// Returns the state of a part after the trigger `on` in the state `from`, or the conflict.
///
/// Total: every pair has a result, and the refusal is the published code.
///
/// ```
/// use cobro_domain::split::{PartTrigger::*, PartState::*, next};
///
/// // A release after the capture ends as captured.
/// assert_eq!(next(Authorized, ReleaseRequested), Ok(Releasing));
/// assert_eq!(next(Releasing, Captured), Ok(Succeeded));
/// ```
pub const fn next(from: PartState, on: PartTrigger) -> Result<PartState, Conflict> {
    use {PartState as S, PartTrigger as T};

    Ok(match (from, on) {
        (S::Unpaid, T::Submitted) => S::Processing,
        (S::Unpaid, T::ReleaseRequested) => S::Released,
        (S::Unpaid, T::WindowClosed) => S::Expired,

        (S::Declined, T::Submitted) => S::Processing,
        (S::Declined, T::ReleaseRequested) => S::Released,
        (S::Declined, T::WindowClosed) => S::Expired,

        (S::Processing, T::ChallengeRequired | T::ChallengeReturned) => S::Processing,
        (S::Processing | S::VerifyingAuthorization, T::Approved) => S::Authorized,
        (S::Processing | S::VerifyingAuthorization, T::ApprovedTooLate) => S::Releasing,
        (S::Processing | S::VerifyingAuthorization, T::Declined) => S::Declined,
        (S::Processing | S::VerifyingAuthorization, T::DeclinedTooLate) => S::Expired,
        (S::Processing | S::VerifyingAuthorization, T::Ambiguous) => S::VerifyingAuthorization,
        (S::Processing | S::VerifyingAuthorization, T::NotExecuted) => S::Unpaid,
        (S::Processing | S::VerifyingAuthorization, T::NotExecutedTooLate) => S::Expired,
        (S::Processing, T::NotExecutedAfterDecline) => S::Declined,

        (S::Authorized, T::CaptureRequested) => S::Capturing,
        (S::Authorized, T::ReleaseRequested | T::WindowClosed) => S::Releasing,
        (S::Authorized, T::Lapsed) => S::Unpaid,
        (S::Authorized, T::LapsedTooLate) => S::Expired,

        (S::Capturing | S::VerifyingCapture, T::Captured) => S::Succeeded,
        (S::Capturing | S::VerifyingCapture, T::StillHeld) => S::Authorized,
        (S::Capturing | S::VerifyingCapture, T::HoldGone) => S::Declined,
        (S::Capturing | S::VerifyingCapture, T::Ambiguous) => S::VerifyingCapture,

        (S::Releasing | S::VerifyingRelease, T::Released) => S::Released,
        (S::Releasing | S::VerifyingRelease, T::ReleasedByExpiry) => S::Expired,
        (S::Releasing | S::VerifyingRelease, T::Captured) => S::Succeeded,
        (S::Releasing | S::VerifyingRelease, T::StillHeld) => S::Releasing,
        (S::Releasing | S::VerifyingRelease, T::Ambiguous) => S::VerifyingRelease,

        (S::Expired, T::ReleaseRequested) => S::Released,
        (S::Expired, T::Renewed) => S::Unpaid,

        (from, on) => return Err(refusal(from, on)),
    })
}

/// Returns the refusal of `on` in state `from`.
const fn refusal(from: PartState, on: PartTrigger) -> Conflict {
    use {PartState as S, PartTrigger as T};

    match (from, on) {
        (
            S::VerifyingAuthorization | S::VerifyingCapture | S::VerifyingRelease,
            T::Submitted | T::CaptureRequested | T::ReleaseRequested | T::Renewed,
        ) => Conflict::PaymentAwaitingVerification,
        (S::Processing, T::Submitted) => Conflict::PaymentMethodAlreadyInProgress,
        (_, T::Submitted) => Conflict::PaymentPartNotPayable,
        (S::Succeeded, T::CaptureRequested) => Conflict::PaymentSplitComplete,
        (_, T::CaptureRequested) => Conflict::PaymentSplitNotCapturable,
        (S::Succeeded | S::Released, T::ReleaseRequested) => Conflict::PaymentSplitComplete,
        (_, T::ReleaseRequested) => Conflict::PaymentSplitLocked,
        (_, T::Renewed) => Conflict::PaymentSplitNotExpired,
        (_, _) => Conflict::PaymentNotEditable,
    }
}

impl PartState {
    /// Every state, in order.
    pub const ALL: [Self; 12] = [
        Self::Unpaid,
        Self::Processing,
        Self::VerifyingAuthorization,
        Self::Declined,
        Self::Authorized,
        Self::Capturing,
        Self::VerifyingCapture,
        Self::Releasing,
        Self::VerifyingRelease,
        Self::Succeeded,
        Self::Released,
        Self::Expired,
    ];

    /// The published status.
    pub const fn status(self) -> PartStatus {
        match self {
            Self::Unpaid => PartStatus::Unpaid,
            Self::Processing => PartStatus::Processing,
            Self::Authorized => PartStatus::Authorized,
            Self::Capturing => PartStatus::Capturing,
            Self::Releasing => PartStatus::Releasing,
            Self::VerifyingAuthorization | Self::VerifyingCapture | Self::VerifyingRelease => PartStatus::Verifying,
            Self::Declined => PartStatus::Declined,
            Self::Succeeded => PartStatus::Succeeded,
            Self::Released => PartStatus::Released,
            Self::Expired => PartStatus::Expired,
        }
    }

    /// Whether the funds are reserved, as far as known.
    pub const fn is_reserved(self) -> bool {
        matches!(
            self,
            Self::Authorized | Self::Capturing | Self::VerifyingCapture | Self::Releasing | Self::VerifyingRelease
        )
    }

    /// Whether no step is pending and no payer can pay the part.
    pub const fn is_at_rest(self) -> bool {
        matches!(self, Self::Succeeded | Self::Released | Self::Expired)
    }
}

impl PartTrigger {
    /// Every trigger, in the usual order.
    pub const ALL: [Self; 22] = [
        Self::Submitted,
        Self::ChallengeRequired,
        Self::ChallengeReturned,
        Self::Approved,
        Self::ApprovedTooLate,
        Self::Declined,
        Self::DeclinedTooLate,
        Self::Ambiguous,
        Self::NotExecuted,
        Self::NotExecutedAfterDecline,
        Self::NotExecutedTooLate,
        Self::CaptureRequested,
        Self::Captured,
        Self::StillHeld,
        Self::HoldGone,
        Self::ReleaseRequested,
        Self::Released,
        Self::ReleasedByExpiry,
        Self::Lapsed,
        Self::LapsedTooLate,
        Self::WindowClosed,
        Self::Renewed,
    ];
}
