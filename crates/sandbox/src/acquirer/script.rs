//! What is to become of a submission, and what is said of it.

use domain::payment::DeclineCode;

/// What a submission comes to, and what its sender hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// Its name, for journals and lists.
    pub(crate) name: String,
    /// What it comes to.
    pub(crate) truth: Truth,
    /// What is said of it.
    pub(crate) telling: Telling,
}

/// What a submission came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// The payment is open here.
    Opened,
    /// The money moved.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The issuer wants to see the browser or the cardholder first, and nothing has happened yet.
    Asked(Step),
    /// Nothing happened.
    Nothing,
}

/// A step of 3-D Secure that somebody is to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The issuer looks at the browser.
    Method,
    /// The cardholder answers the issuer.
    Challenge,
}

impl Step {
    /// As look-ups spell it.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Method => "3D2METHOD",
            Self::Challenge => "3D",
        }
    }
}

/// What is said of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// The truth.
    Told,
    /// Nothing that can be understood.
    Lost,
    /// Nothing that can be understood, and look-ups see nothing of it at first.
    Late,
    /// That it was not processed, which is true.
    NotProcessed,
    /// That the request itself cannot be: no transaction comes of it.
    Refused,
}

impl Script {
    /// The truth, told at once.
    pub(crate) fn told(name: impl Into<String>, truth: Truth) -> Self {
        Self { name: name.into(), truth, telling: Telling::Told }
    }

    /// The truth, and no answer.
    pub(crate) fn lost(name: impl Into<String>, truth: Truth) -> Self {
        Self { name: name.into(), truth, telling: Telling::Lost }
    }
}
