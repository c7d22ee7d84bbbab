//! How a document is issued, step by durable step.

use chrono::{DateTime, TimeDelta, Utc};

use super::{DocumentStatus, IssuanceStage, Numbered, Problem, ProblemCode, SignedDocument};

/// One variant per status, holding what only that stage knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentStage {
    /// Waiting for the payment.
    Requested,
    /// On its way to the authority.
    Issuing(Issuance),
    /// Held up.
    Delayed(Issuance, Problem),
    /// Accepted.
    Issued(Issued),
    /// Refused.
    Rejected(Rejection),
    /// Its payment ended unpaid.
    Canceled {
        /// When.
        at: DateTime<Utc>,
    },
}

/// Progress of a document towards the authority's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuance {
    /// Stage, with the facts of that stage.
    pub stage: IssuanceStage,
    /// Number of submissions, of all revisions since the last correction.
    pub submissions: u32,
    /// Number of steps in a row without progress.
    pub waits: u32,
    /// Time at which the next step is due.
    pub next_attempt_at: DateTime<Utc>,
}

/// The signature of a document, as far as others need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The time that the document itself states.
    pub at: DateTime<Utc>,
    /// The first six characters of the signature of the full document.
    pub security_code: String,
    /// SHA-256 of the signed document.
    pub sha256: [u8; 32],
    /// Its length in bytes.
    pub size_bytes: u64,
    /// Its printed representation, stored with it; `None` if it could not be drawn.
    pub printed: Option<Printed>,
}

/// The printed representation of a signed document, as far as others need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed {
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
    /// Its length in bytes.
    pub size_bytes: u64,
}

/// What is known of an accepted document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Its number.
    pub numbered: Numbered,
    /// Its signature.
    pub signed: Signed,
    /// When it was accepted.
    pub at: DateTime<Utc>,
    /// How.
    pub acceptance: Acceptance,
    /// When it is drawn again, if it could not be; `None` also after the last try.
    pub redraw: Option<RenderRetry>,
}

/// What became of drawing a document that could not be drawn when it was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderRetry {
    /// How many times it was tried since.
    pub tries: u8,
    /// When it is tried next.
    pub at: DateTime<Utc>,
}

impl RenderRetry {
    /// The pauses between one try and the next, in minutes. There is no try after the last.
    const PAUSES: [i64; 6] = [1, 5, 30, 120, 480, 1440];

    /// After so many tries; `None` if those are all.
    pub(super) fn after(tries: u8, now: DateTime<Utc>) -> Option<Self> {
        let pause = TimeDelta::minutes(*Self::PAUSES.get(usize::from(tries))?);
        Some(Self { tries, at: now.checked_add_signed(pause).unwrap_or(now) })
    }
}

/// How the authority accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// As it is.
    Accepted,
    /// With remarks for future documents; fiscally it is as good.
    WithObservations(Vec<Observation>),
}

/// A remark of the authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The authority's code.
    pub code: String,
    /// The authority's words.
    pub message: String,
}

/// A refusal, and whether the number went with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// When.
    pub at: DateTime<Utc>,
    /// Why.
    pub problem: Problem,
    /// The number that was used, if one was.
    pub numbered: Option<Numbered>,
    /// Whether no revision can use that number any more: it is spent, or was given up to be annulled.
    pub is_number_spent: bool,
    /// The authority's own messages.
    pub said: Vec<Observation>,
}

/// The next thing to do for a document that is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IssueStep {
    /// Take up a correction.
    Begin,
    /// Choose how to submit the document again after a rejection for its issuer's set-up.
    Resubmit,
    /// Ask the directory for the buyer's registered name.
    IdentifyBuyer,
    /// Take the next number of the range.
    AssignNumber,
    /// Write, check and sign the document. Its bytes become durable at the latest with the fact that they go out.
    Sign,
    /// Send the signed bytes.
    Submit,
    /// Ask what became of the last submission.
    Inquire,
}

/// What the authority says of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is valid.
    Accepted(Acceptance),
    /// It is void.
    Rejected {
        /// Our classification.
        code: ProblemCode,
        /// Whether its number is spent.
        is_number_spent: bool,
        /// The authority's own messages.
        said: Vec<Observation>,
    },
    /// It was received and is being looked at.
    InProcess {
        /// The receipt to ask with.
        track_id: Option<String>,
    },
    /// The authority says that it has this number already: it may well be this document.
    Duplicate,
    /// The authority knows no such document.
    NotFound,
    /// The answer was lost or cannot be read: it may have been received.
    Unknown,
    /// It provably was not received.
    Unavailable,
    /// The authority does not let us in, for what the code says: it provably was not received.
    Barred(ProblemCode),
}

impl Issuance {
    /// A "not found" this soon after a submission may only mean that the authority is slow.
    pub const SETTLE_DELAY: TimeDelta = TimeDelta::minutes(6);
    /// A document that was signed while the authority could not be reached is sent within this long of the authority's
    /// return. That moment is unknown, so the term counts from the signature.
    ///
    /// Source: Decree 587-24, articles 40 to 43, and the DGII's instruction on contingency of February 2026.
    pub const LEGAL_TERM: TimeDelta = TimeDelta::hours(72);
    /// The operator is alerted this long before the term ends.
    pub const TERM_WARNING: TimeDelta = TimeDelta::hours(24);
    /// After this many reports of a used number, the number is taken to belong to another document: by then the authority
    /// was asked for this document over more than an hour, and never found it.
    pub const MOST_DUPLICATES: u32 = 6;

    /// Returns an issuance at `stage`, whose first step is due.
    pub const fn begin(stage: IssuanceStage, now: DateTime<Utc>) -> Self {
        Self { stage, submissions: 0, waits: 0, next_attempt_at: now }
    }

    /// Returns the same issuance with the time of the operator's alert, if its legal term ends soon and no alert was sent.
    #[must_use]
    pub fn warned_of_term(mut self, now: DateTime<Utc>) -> Self {
        let warned_after = Self::LEGAL_TERM.checked_sub(&Self::TERM_WARNING).unwrap_or(Self::LEGAL_TERM);
        if let Some(document) = self.stage.document_mut()
            && document.term_warned_at.is_none()
            && now.signed_duration_since(document.signed.at) >= warned_after
        {
            document.term_warned_at = Some(now);
        }
        self
    }

    /// The same issuance, with the next step due at once.
    #[must_use]
    pub fn advanced(self, now: DateTime<Utc>) -> Self {
        Self { waits: 0, next_attempt_at: now, ..self }
    }

    /// The same issuance after a step that brought nothing: the pauses grow to an hour.
    #[must_use]
    pub fn waiting(self, now: DateTime<Utc>) -> Self {
        let pause = match self.waits {
            0 => TimeDelta::seconds(15),
            1 => TimeDelta::minutes(1),
            2 => TimeDelta::minutes(3),
            3 => TimeDelta::minutes(10),
            4 => TimeDelta::minutes(30),
            _ => TimeDelta::hours(1),
        };
        let next_attempt_at = now.checked_add_signed(pause).unwrap_or(now);
        Self { waits: self.waits.saturating_add(1), next_attempt_at, ..self }
    }

    /// The same issuance while the authority is looking: asked after 1, 2, 4 ... 60 seconds.
    #[must_use]
    pub fn polling(self, now: DateTime<Utc>) -> Self {
        let seconds = 1_i64.checked_shl(self.waits.min(6)).unwrap_or(64).min(60);
        let next_attempt_at = now.checked_add_signed(TimeDelta::seconds(seconds)).unwrap_or(now);
        Self { waits: self.waits.saturating_add(1), next_attempt_at, ..self }
    }

    /// Whether a "not found" at `now` proves that the last submission never arrived.
    pub fn is_settled(&self, now: DateTime<Utc>) -> bool {
        self.stage.submitted_at().is_none_or(|sent| now.signed_duration_since(sent) >= Self::SETTLE_DELAY)
    }
}

impl DocumentStage {
    /// The published name of the stage.
    pub const fn status(&self) -> DocumentStatus {
        match self {
            Self::Requested => DocumentStatus::Requested,
            Self::Issuing(_) => DocumentStatus::Issuing,
            Self::Delayed(..) => DocumentStatus::Delayed,
            Self::Issued(_) => DocumentStatus::Issued,
            Self::Rejected(_) => DocumentStatus::Rejected,
            Self::Canceled { .. } => DocumentStatus::Canceled,
        }
    }

    /// How far the document has come, while it is on its way.
    pub const fn issuance(&self) -> Option<&Issuance> {
        match self {
            Self::Issuing(issuance) | Self::Delayed(issuance, _) => Some(issuance),
            _ => None,
        }
    }

    /// Returns the number and the signature, while the document waits for an authority that is unreachable or has not
    /// responded.
    pub fn in_contingency(&self) -> Option<(&Numbered, &Signed)> {
        let Self::Delayed(issuance, problem) = self else { return None };
        let SignedDocument { numbered, signed, .. } = issuance.stage.document()?;
        let is_away = matches!(problem.code, ProblemCode::AuthorityUnavailable | ProblemCode::AuthorityResultUnknown);
        is_away.then_some((numbered, signed))
    }

    /// Returns the authority's messages about the current problem of the document: why it was refused, or why it waits.
    pub fn authority_messages(&self) -> &[Observation] {
        match self {
            Self::Rejected(rejection) => &rejection.said,
            Self::Delayed(issuance, problem) => match issuance.stage.last_rejection() {
                Some(rejection) if rejection.code == problem.code => &rejection.authority_messages,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// The number that the document has.
    pub const fn numbered(&self) -> Option<&Numbered> {
        match self {
            Self::Requested | Self::Canceled { .. } => None,
            Self::Issuing(issuance) | Self::Delayed(issuance, _) => issuance.stage.numbered(),
            Self::Issued(issued) => Some(&issued.numbered),
            Self::Rejected(rejection) => rejection.numbered.as_ref(),
        }
    }
}
