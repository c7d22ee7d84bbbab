//! The life of a fiscal document, one edge per line; printed into
//! `docs/generated/fiscal-document-lifecycle.md`.

use crate::Conflict;

spelled! {
    /// The published status of a fiscal document.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum DocumentStatus {
        /// Waiting for the payment.
        Requested = "requested",
        /// In progress.
        Issuing = "issuing",
        /// Delayed; submission is retried.
        Delayed = "delayed",
        /// Accepted by the authority.
        Issued = "issued",
        /// Refused, by the authority or by our own rules.
        Rejected = "rejected",
        /// The payment ended unpaid, or everything was refunded before the document was accepted.
        Canceled = "canceled",
    }
}

/// Trigger of a change of status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DocumentTrigger {
    /// The merchant or the payer chose another kind or buyer.
    ChoiceChanged,
    /// The payment succeeded.
    PaymentSucceeded,
    /// A step towards acceptance was made.
    Advanced,
    /// The authority, or the set-up, delays the document.
    HeldUp,
    /// The authority accepted the document.
    Accepted,
    /// The document was rejected.
    Refused,
    /// The merchant corrected the document.
    Corrected,
    /// The payment ended unpaid.
    PaymentEnded,
    /// The payment was renewed.
    PaymentRenewed,
    /// Everything that was paid was returned; of a credit note: its original was canceled.
    Refunded,
}

/// Returns the status after `on`, or the refusal.
pub const fn next(from: DocumentStatus, on: DocumentTrigger) -> Result<DocumentStatus, Conflict> {
    use {DocumentStatus as S, DocumentTrigger as T};

    Ok(match (from, on) {
        (S::Requested, T::ChoiceChanged) => S::Requested,
        (S::Requested, T::PaymentSucceeded) => S::Issuing,
        (S::Requested, T::PaymentEnded) => S::Canceled,

        (S::Issuing, T::Advanced) => S::Issuing,
        (S::Issuing, T::HeldUp) => S::Delayed,
        (S::Issuing, T::Accepted) => S::Issued,
        (S::Issuing, T::Refused) => S::Rejected,

        (S::Delayed, T::Advanced) => S::Issuing,
        (S::Delayed, T::HeldUp) => S::Delayed,
        (S::Delayed, T::Accepted) => S::Issued,
        (S::Delayed, T::Refused) => S::Rejected,

        (S::Rejected, T::Corrected) => S::Requested,
        (S::Canceled, T::PaymentRenewed) => S::Requested,

        // A rejected document has no tax effect, and a requested one never had any.
        (S::Requested | S::Rejected, T::Refunded) => S::Canceled,

        (_, T::Corrected) => return Err(Conflict::FiscalCorrectionNotAllowed),
        (_, _) => return Err(Conflict::PaymentNotEditable),
    })
}

impl DocumentTrigger {
    /// Every trigger, in the usual order.
    pub const ALL: [Self; 10] = [
        Self::ChoiceChanged,
        Self::PaymentSucceeded,
        Self::Advanced,
        Self::HeldUp,
        Self::Accepted,
        Self::Refused,
        Self::Corrected,
        Self::PaymentEnded,
        Self::PaymentRenewed,
        Self::Refunded,
    ];
}
