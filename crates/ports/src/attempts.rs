use domain::{AttemptId, MerchantAccountId};

/// An attempt and the account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AttemptRef {
    /// The account.
    pub account: MerchantAccountId,
    /// The attempt.
    pub attempt: AttemptId,
}

/// Reason why no transaction was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotSubmitted {
    /// The provider cannot be reached.
    Unavailable,
    /// The provider was reached and executed no transaction: by its response, or because a look-up was required first
    /// and had no clear result.
    Busy,
    /// The provider refused the request itself: a fault of ours, or of the merchant's set-up.
    Rejected,
}
