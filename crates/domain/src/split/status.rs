//! Statuses of a split and its payment, as folds of the parts. They are not stored.

use super::PartState;
use crate::payment::PaymentStatus;

spelled! {
    /// The published status of a split.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum SplitStatus {
        /// No part is reserved yet.
        Open = "open",
        /// Some parts have reserved funds.
        PartiallyAuthorized = "partially_authorized",
        /// Every part is reserved and awaits the organizer's capture command.
        Authorized = "authorized",
        /// Capture is running.
        Capturing = "capturing",
        /// Some parts are captured, others are not.
        PartiallyPaid = "partially_paid",
        /// Reserved funds are being released.
        Releasing = "releasing",
        /// Released.
        Released = "released",
        /// Paid.
        Succeeded = "succeeded",
        /// The window closed unpaid.
        Expired = "expired",
    }
}

/// Returns the status of a split with these parts. The first rule that matches wins.
///
/// ```
/// use cobro_domain::split::{SplitStatus, PartState::*, split_status};
///
/// assert_eq!(split_status(&[Authorized, Unpaid]), SplitStatus::PartiallyAuthorized);
/// assert_eq!(split_status(&[Succeeded, Authorized]), SplitStatus::PartiallyPaid);
/// assert_eq!(split_status(&[Succeeded, VerifyingCapture]), SplitStatus::Capturing);
/// ```
pub fn split_status(parts: &[PartState]) -> SplitStatus {
    use PartState as S;
    let any = |of: &[PartState]| parts.iter().any(|it| of.contains(it));
    let all = |of: &[PartState]| parts.iter().all(|it| of.contains(it));

    if any(&[S::Capturing, S::VerifyingCapture]) {
        SplitStatus::Capturing
    } else if any(&[S::Releasing, S::VerifyingRelease]) {
        SplitStatus::Releasing
    } else if all(&[S::Succeeded]) {
        SplitStatus::Succeeded
    } else if any(&[S::Succeeded]) {
        SplitStatus::PartiallyPaid
    } else if all(&[S::Released, S::Expired]) && any(&[S::Released]) {
        SplitStatus::Released
    } else if all(&[S::Authorized]) {
        SplitStatus::Authorized
    } else if any(&[S::Authorized]) {
        SplitStatus::PartiallyAuthorized
    } else if all(&[S::Expired]) {
        SplitStatus::Expired
    } else {
        SplitStatus::Open
    }
}

/// Returns the status of a payment with these parts: that of the split, unless a part is in doubt.
///
/// `declined` never comes out: a decline stays on its part. `processing` does only when the window
/// is over and a card is still at the provider.
///
/// ```
/// use cobro_domain::{payment::PaymentStatus, split::{PartState::*, payment_status}};
///
/// assert_eq!(payment_status(&[Succeeded, VerifyingCapture], false), PaymentStatus::Verifying);
/// assert_eq!(payment_status(&[Expired, Processing], true), PaymentStatus::Processing);
/// ```
pub fn payment_status(parts: &[PartState], is_window_over: bool) -> PaymentStatus {
    use PartState as S;
    let is_in_doubt = |it: &PartState| it.status() == super::PartStatus::Verifying;

    if parts.iter().any(is_in_doubt) {
        return PaymentStatus::Verifying;
    }
    match split_status(parts) {
        SplitStatus::Open if is_window_over && parts.contains(&S::Processing) => PaymentStatus::Processing,
        SplitStatus::Open => PaymentStatus::RequiresCustomerAction,
        SplitStatus::PartiallyAuthorized => PaymentStatus::PartiallyAuthorized,
        SplitStatus::Authorized => PaymentStatus::Authorized,
        SplitStatus::Capturing => PaymentStatus::Capturing,
        SplitStatus::PartiallyPaid => PaymentStatus::PartiallyPaid,
        SplitStatus::Releasing => PaymentStatus::Releasing,
        SplitStatus::Released => PaymentStatus::Canceled,
        SplitStatus::Succeeded => PaymentStatus::Succeeded,
        SplitStatus::Expired => PaymentStatus::Expired,
    }
}
