//! How a document is issued, step by durable step.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    DocumentStatus, IssuanceStage, Numbered, Observation, Problem, ProblemCode, Resubmission, ResubmissionMode,
    SetupRejection, Signed, SignedDocument, StageViolation,
};
use crate::backoff::Backoff;

/// Stage of a document. One variant per status, with exactly the facts of the stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentStage {
    /// Waiting for the payment.
    Requested,
    /// In progress.
    Issuing(Issuance),
    /// Held up.
    Delayed(Issuance, Problem),
    /// Accepted.
    Issued(Issued),
    /// Refused.
    Rejected(Rejection),
    /// The payment ended unpaid.
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

/// Facts of an accepted document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The number.
    pub numbered: Numbered,
    /// The signature.
    pub signed: Signed,
    /// Time of the acceptance.
    pub at: DateTime<Utc>,
    /// How.
    pub acceptance: Acceptance,
    /// Next attempt to render the document; `None` if it is rendered, and after the last attempt.
    pub render_retry: Option<RenderRetry>,
}

/// Retry of a failed rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderRetry {
    /// Number of failed retries.
    pub retries: u8,
    /// Time of the next attempt.
    pub at: DateTime<Utc>,
}

impl RenderRetry {
    /// Schedule of the retries.
    const RETRIES: Backoff = Backoff::Table(&[
        TimeDelta::minutes(1),
        TimeDelta::minutes(5),
        TimeDelta::minutes(30),
        TimeDelta::hours(2),
        TimeDelta::hours(8),
        TimeDelta::hours(24),
    ]);

    /// Returns the retry after so many failed retries; `None` after the last.
    pub(super) fn after(retries: u8, now: DateTime<Utc>) -> Option<Self> {
        let at = Self::RETRIES.next(u32::from(retries) + 1, now)?;
        Some(Self { retries, at })
    }
}

/// How the authority accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Without remarks.
    Accepted,
    /// With remarks for future documents, and with the same fiscal value.
    WithObservations(Vec<Observation>),
}

/// A rejection, and whether the number is spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// When.
    pub at: DateTime<Utc>,
    /// Why.
    pub problem: Problem,
    /// The number that was used, if one was.
    pub numbered: Option<Numbered>,
    /// Whether no later revision can use the number: it is spent, or was given up to be annulled.
    pub is_number_spent: bool,
    /// The authority's own messages.
    pub authority_messages: Vec<Observation>,
}

/// Verdict of the authority about a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The document is valid.
    Accepted(Acceptance),
    /// The document is void.
    Rejected {
        /// Our classification.
        code: ProblemCode,
        /// Whether the number is spent.
        is_number_spent: bool,
        /// The authority's own messages.
        authority_messages: Vec<Observation>,
    },
    /// The document was received and is being processed.
    InProcess {
        /// The receipt for the query.
        track_id: Option<String>,
    },
    /// The authority reports the number as used: perhaps by this document.
    Duplicate,
    /// The authority has no such document.
    NotFound,
    /// The response is missing or cannot be parsed: the document may have been received.
    Unknown,
    /// The document provably was not received.
    Unavailable,
    /// The authority refuses the issuer's access, for this reason: the document provably was not received.
    Blocked(ProblemCode),
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
    /// After this many reports of a used number, the number counts as used by another document: by then look-ups over
    /// more than an hour have not found this one.
    pub const MOST_DUPLICATES: u32 = 6;

    /// Schedule of the retries of a step without a result.
    const RETRIES: Backoff = Backoff::Repeating(&[
        TimeDelta::seconds(15),
        TimeDelta::minutes(1),
        TimeDelta::minutes(3),
        TimeDelta::minutes(10),
        TimeDelta::minutes(30),
        TimeDelta::hours(1),
    ]);
    /// Schedule of the requests for the verdict while the authority is processing the document.
    const VERDICT_POLLS: Backoff = Backoff::Exponential { initial: TimeDelta::seconds(1), max: TimeDelta::seconds(60) };

    /// Returns an issuance at `stage`, whose first step is due.
    pub const fn begin(stage: IssuanceStage, now: DateTime<Utc>) -> Self {
        Self { stage, submissions: 0, waits: 0, next_attempt_at: now }
    }

    /// Returns the issuance with the time of the operator's alert, if the legal term ends soon and no alert was sent.
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

    /// Returns the issuance with the next step due at once.
    #[must_use]
    pub fn advanced(self, now: DateTime<Utc>) -> Self {
        Self { waits: 0, next_attempt_at: now, ..self }
    }

    /// Returns the issuance after a step without a result.
    #[must_use]
    pub fn waiting(self, now: DateTime<Utc>) -> Self {
        self.after_pause(&Self::RETRIES, now)
    }

    /// Returns the issuance while the authority is processing the document.
    #[must_use]
    pub fn polling(self, now: DateTime<Utc>) -> Self {
        self.after_pause(&Self::VERDICT_POLLS, now)
    }

    fn after_pause(self, schedule: &Backoff, now: DateTime<Utc>) -> Self {
        let waits = self.waits.saturating_add(1);
        Self { waits, next_attempt_at: schedule.next(waits, now).unwrap_or(now), ..self }
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

    /// Returns the issuance of a document in progress.
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

    /// Returns the authority's messages about the current problem of the document: the reason of its rejection, or of
    /// its delay.
    pub fn authority_messages(&self) -> &[Observation] {
        match self {
            Self::Rejected(rejection) => &rejection.authority_messages,
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

impl DocumentStage {
    /// Checks the facts of a stored stage that the type cannot rule out.
    ///
    /// # Errors
    ///
    /// The first [`StageViolation`].
    pub fn check(&self) -> Result<(), StageViolation> {
        let (issuance, problem) = match self {
            Self::Issuing(issuance) => (issuance, None),
            Self::Delayed(issuance, problem) => (issuance, Some(problem)),
            _ => return Ok(()),
        };
        issuance.check()?;
        match &issuance.stage {
            IssuanceStage::AwaitingSetup { rejection, .. } if problem != Some(&rejection.problem()) => {
                Err(StageViolation::SetupWithoutDelay)
            }
            _ => Ok(()),
        }
    }
}

impl Issuance {
    fn check(&self) -> Result<(), StageViolation> {
        let stage = &self.stage;
        let mode = stage.resubmission().map(|resubmission| resubmission.mode);
        let ensure = |holds: bool, violation| if holds { Ok(()) } else { Err(violation) };

        // A correction takes the number of a revision that was rejected for its content, and signs that number again.
        let may_be_for_content = mode == Some(ResubmissionMode::Resign);
        let is_for_setup = |rejection: &SetupRejection| may_be_for_content || rejection.code.waits_for_setup();
        ensure(stage.last_rejection().is_none_or(is_for_setup), StageViolation::NotForSetup)?;

        let is_unsigned = stage.document().is_none();
        ensure(!(is_unsigned && mode == Some(ResubmissionMode::SameBytes)), StageViolation::UnsignedBytes)?;
        ensure(stage.resubmission().is_none_or(Resubmission::spares_spent_numbers), StageViolation::SpentNumber)?;
        ensure(stage.submitted_at().is_none() || self.submissions > 0, StageViolation::NeverSubmitted)?;
        let is_counted = stage.duplicates() == 0 || self.submissions > 0;
        ensure(is_counted && stage.duplicates() < Self::MOST_DUPLICATES, StageViolation::Duplicates)
    }
}
