//! Lifecycle of a payment with one payer, one edge per line.
//!
//! [`next`] is the only source: the code follows it, the tests walk it, and `docs/generated/payment-lifecycle.md` is
//! printed from it. The five statuses of a split are computed from its parts and have no edges here.

use crate::Conflict;

spelled! {
    /// The published status of a payment.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PaymentStatus {
        /// Waiting for the customer.
        RequiresCustomerAction = "requires_customer_action",
        /// A card was submitted to the provider.
        Processing = "processing",
        /// Some shares have reserved funds.
        PartiallyAuthorized = "partially_authorized",
        /// Every share is reserved and awaits the organizer's capture command.
        Authorized = "authorized",
        /// Capture is running.
        Capturing = "capturing",
        /// Some shares are captured, others are not.
        PartiallyPaid = "partially_paid",
        /// Reserved funds are being released.
        Releasing = "releasing",
        /// The provider's response was unclear; look-ups decide.
        Verifying = "verifying",
        /// Paid.
        Succeeded = "succeeded",
        /// Refused by the issuer.
        Declined = "declined",
        /// Canceled.
        Canceled = "canceled",
        /// The window closed unpaid.
        Expired = "expired",
    }
}

/// Trigger of a change of status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// A card submission, or an opening call, was made durable.
    Submitted,
    /// The provider opened the payment. The customer acts next.
    Opened,
    /// The issuer requires authentication of the customer.
    ChallengeRequired,
    /// The customer came back from the challenge.
    ChallengeReturned,
    /// The charge was approved.
    Approved,
    /// The issuer refused, or the challenge failed.
    Declined,
    /// Unknown outcome: timeout, malformed response, unknown code.
    Ambiguous,
    /// The request was not submitted; the payment waited for the customer before.
    NotSubmittedWhileOpen,
    /// The request was not submitted; the payment was declined before.
    NotSubmittedAfterDecline,
    /// Look-ups proved that no transaction was executed, and the window is open.
    NotExecuted,
    /// Look-ups proved that no transaction was executed, and the window is over.
    NotExecutedTooLate,
    /// The window closed.
    WindowClosed,
    /// The merchant canceled the payment.
    Canceled,
    /// An orphaned attempt was approved, and is reversed.
    LateApproval,
}

/// Returns the status after `on`, or the refusal.
///
/// Total: every pair has a result, and a refusal is the published code.
pub const fn next(from: PaymentStatus, on: Trigger) -> Result<PaymentStatus, Conflict> {
    use {PaymentStatus as S, Trigger as T};

    Ok(match (from, on) {
        (S::RequiresCustomerAction, T::Submitted) => S::Processing,
        (S::RequiresCustomerAction, T::ChallengeReturned) => S::Processing,
        (S::RequiresCustomerAction, T::WindowClosed) => S::Expired,
        (S::RequiresCustomerAction, T::Canceled) => S::Canceled,

        (S::Processing, T::Opened) => S::RequiresCustomerAction,
        (S::Processing, T::ChallengeRequired) => S::RequiresCustomerAction,
        (S::Processing, T::Approved) => S::Succeeded,
        (S::Processing, T::Declined) => S::Declined,
        (S::Processing, T::Ambiguous) => S::Verifying,
        (S::Processing, T::NotSubmittedWhileOpen) => S::RequiresCustomerAction,
        (S::Processing, T::NotSubmittedAfterDecline) => S::Declined,

        (S::Declined, T::Submitted) => S::Processing,
        (S::Declined, T::WindowClosed) => S::Expired,
        (S::Declined, T::Canceled) => S::Canceled,
        (S::Declined, T::LateApproval) => S::Declined,

        (S::Verifying, T::Approved) => S::Succeeded,
        (S::Verifying, T::Declined) => S::Declined,
        (S::Verifying, T::NotExecuted) => S::RequiresCustomerAction,
        (S::Verifying, T::NotExecutedTooLate) => S::Expired,
        (S::Verifying, T::Ambiguous) => S::Verifying,

        (S::Expired, T::LateApproval) => S::Expired,
        (S::Canceled, T::LateApproval) => S::Canceled,

        (S::Verifying, _) => return Err(Conflict::PaymentAwaitingVerification),
        (S::Processing, _) => return Err(Conflict::PaymentMethodAlreadyInProgress),
        (S::Succeeded | S::Canceled | S::Expired, T::Submitted) => return Err(Conflict::CheckoutWindowClosed),
        (_, T::Submitted) => return Err(Conflict::PaymentSplitPartRequired),
        (_, _) => return Err(Conflict::PaymentNotEditable),
    })
}

impl PaymentStatus {
    /// Whether only a split has this status.
    pub const fn is_of_split(self) -> bool {
        matches!(
            self,
            Self::PartiallyAuthorized | Self::Authorized | Self::Capturing | Self::PartiallyPaid | Self::Releasing
        )
    }
}

impl Trigger {
    /// Every trigger, in the usual order.
    pub const ALL: [Self; 14] = [
        Self::Submitted,
        Self::Opened,
        Self::ChallengeRequired,
        Self::ChallengeReturned,
        Self::Approved,
        Self::Declined,
        Self::Ambiguous,
        Self::NotSubmittedWhileOpen,
        Self::NotSubmittedAfterDecline,
        Self::NotExecuted,
        Self::NotExecutedTooLate,
        Self::WindowClosed,
        Self::Canceled,
        Self::LateApproval,
    ];
}
