//! Meanings of results.

use domain::payment::DeclineCode;

/// Meaning of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Approved,
    /// The issuer declined.
    Declined(DeclineCode),
    /// The issuer wants to examine the browser (3-D Secure method).
    MethodRequired,
    /// The issuer wants to challenge the cardholder.
    ChallengeRequired,
    /// The transaction may have been processed.
    Ambiguous,
    /// Not processed, because AZUL was not reached. A retry may succeed.
    Unavailable,
    /// Not processed, according to AZUL. A retry may succeed.
    Busy,
    /// Not processed, and a retry would fail.
    Rejected,
}

/// Meaning of a result, with the alert for operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) class: Class,
    pub(crate) alert: OperatorAlert,
}

/// Reason to alert an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperatorAlert {
    NoAlert,
    /// The account's set-up or our request is wrong.
    CheckSetup,
    /// The code is in no table.
    UnknownCode,
}
