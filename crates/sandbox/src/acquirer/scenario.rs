//! Outcome of a submission, and the response to it.

use domain::payment::DeclineCode;

/// Outcome and response of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    /// Name in journals and lists.
    pub(crate) name: String,
    pub(crate) outcome: TransactionOutcome,
    pub(crate) response: ResponseMode,
}

/// Outcome of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionOutcome {
    /// The payment is open at the provider.
    Opened,
    /// The money moved.
    Approved,
    /// The issuer declined.
    Declined(DeclineCode),
    /// The issuer requests a 3-D Secure step first; no money moved yet.
    StepRequired(ThreeDsStep),
    /// No effect.
    NoEffect,
}

/// A pending step of 3-D Secure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreeDsStep {
    /// The issuer's method in the browser.
    Method,
    /// The cardholder's challenge.
    Challenge,
}

impl ThreeDsStep {
    /// The code in look-ups.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Method => "3D2METHOD",
            Self::Challenge => "3D",
        }
    }
}

/// Response to a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseMode {
    /// The outcome.
    Truthful,
    /// No usable response.
    Lost,
    /// No usable response, and a delayed visibility in look-ups.
    Late,
    /// "Not processed", truthfully.
    NotProcessed,
    /// A refusal of the request, without a transaction.
    Refused,
}

impl Scenario {
    /// The truthful response, at once.
    pub(crate) fn truthful(name: impl Into<String>, outcome: TransactionOutcome) -> Self {
        Self { name: name.into(), outcome, response: ResponseMode::Truthful }
    }

    /// The outcome without a response.
    pub(crate) fn lost(name: impl Into<String>, outcome: TransactionOutcome) -> Self {
        Self { name: name.into(), outcome, response: ResponseMode::Lost }
    }
}
