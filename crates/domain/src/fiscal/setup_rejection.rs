//! Rejections for an issuer's set-up: the content of the document is correct, and the document is submitted again once the
//! set-up is corrected. A credit note waits likewise until the authority knows the modified document.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Environment, NumberRange, Numbered, Observation, Problem, ProblemCode, SignedDocument, TaxId, local_date};
use crate::backoff::Backoff;

/// A rejection of a document for its issuer's set-up, or for our clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupRejection {
    /// Reason of the rejection.
    pub code: ProblemCode,
    /// Time of the first rejection in a row for this reason.
    pub since: DateTime<Utc>,
    /// Time of the last rejection.
    pub at: DateTime<Utc>,
    /// Number of rejections in a row; 0 after a correction that reuses the number of the rejected revision.
    pub times: u32,
    /// Whether the rejection has spent the number.
    pub is_number_spent: bool,
    /// The authority's own messages.
    pub authority_messages: Vec<Observation>,
}

/// How a document was submitted again after a rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resubmission {
    /// The rejection.
    pub rejection: SetupRejection,
    /// How the document is submitted again.
    pub mode: ResubmissionMode,
}

/// How a rejected document is submitted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResubmissionMode {
    /// The same bytes: the cause was outside the document.
    SameBytes,
    /// The same number, which the authority does not count as used, with a new signature.
    Resign,
    /// Another number.
    Renumber,
}

/// The part of an issuer's set-up that decides the [`ResubmissionMode`].
#[derive(Clone, Copy, Debug)]
pub struct IssuerSetup<'a> {
    /// Time from which the current signing certificate counts.
    pub certificate_since: Option<DateTime<Utc>>,
    /// Number ranges of the tenant, in the order in which numbers are assigned.
    pub ranges: &'a [NumberRange],
}

/// Change of an issuer's set-up by the merchant or an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IssuerSetupChange {
    /// Another certificate.
    Certificate,
    /// Another range of numbers.
    Range,
    /// Another profile.
    Profile,
}

impl IssuerSetupChange {
    /// Problems that the change may solve. A retry for any other problem might spend a number without need.
    pub const fn clears(self) -> &'static [ProblemCode] {
        use ProblemCode as P;

        match self {
            Self::Certificate => &[P::CertificateInvalid, P::IssuerNotAuthorized],
            Self::Range => &[P::SequenceExhausted, P::SequenceExpired, P::IssuerNotAuthorized],
            Self::Profile => &[P::IssuerNotAuthorized],
        }
    }
}

impl Environment {
    /// Whether every verdict spends the number.
    ///
    /// Source: DGII, *Descripción técnica*, on `secuenciaUtilizada`: the certification environments reuse no number.
    pub(super) const fn spends_every_number(self) -> bool {
        matches!(self, Self::Certification)
    }
}

impl Resubmission {
    /// Whether the document does not use a spent number again.
    pub(super) fn spares_spent_numbers(&self) -> bool {
        self.mode == ResubmissionMode::Renumber || !self.rejection.is_number_spent
    }
}

impl SetupRejection {
    /// Schedule of submissions under the same number.
    const RETRIES: Backoff = Backoff::Repeating(&[
        TimeDelta::minutes(1),
        TimeDelta::minutes(3),
        TimeDelta::minutes(10),
        TimeDelta::minutes(30),
        TimeDelta::hours(1),
    ]);
    /// Schedule of submissions that spend a number each.
    const RETRIES_AT_A_NUMBER_EACH: Backoff =
        Backoff::Repeating(&[TimeDelta::hours(1), TimeDelta::hours(6), TimeDelta::hours(24)]);

    /// Schedule of the submissions of a credit note whose modified document the authority does not know.
    const RETRIES_AFTER_ORIGINAL: Backoff =
        Backoff::Repeating(&[TimeDelta::minutes(15), TimeDelta::hours(1), TimeDelta::hours(6), TimeDelta::hours(24)]);

    /// Chooses how the rejected `document` is submitted again.
    ///
    /// A number is reused only if the authority reported it as not spent. An unspent number is given up only if the
    /// next number comes from another range: another number of the same range would be rejected as well.
    pub fn resubmission_mode(
        &self,
        document: &SignedDocument,
        (issuer, environment): (&TaxId, Environment),
        setup: IssuerSetup<'_>,
    ) -> ResubmissionMode {
        use ProblemCode as P;

        let is_certificate_newer = setup.certificate_since > Some(document.signed.at);
        let comes_from_elsewhere =
            || next_is_of_another_range(setup.ranges, &document.numbered, (issuer, environment), self.at);
        match self.code {
            _ if self.is_number_spent => ResubmissionMode::Renumber,
            P::ClockSkew => ResubmissionMode::Resign,
            P::SequenceExpired | P::SequenceExhausted | P::IssuerNotAuthorized if comes_from_elsewhere() => {
                ResubmissionMode::Renumber
            }
            P::CertificateInvalid | P::IssuerNotAuthorized if is_certificate_newer => ResubmissionMode::Resign,
            _ => ResubmissionMode::SameBytes,
        }
    }

    /// Time of the next submission, unless the set-up is corrected before. A submission that costs a number is made less
    /// often.
    pub fn retry_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let schedule = match self.code {
            ProblemCode::ModifiedDocumentUnknown => Self::RETRIES_AFTER_ORIGINAL,
            _ if self.is_number_spent => Self::RETRIES_AT_A_NUMBER_EACH,
            _ => Self::RETRIES,
        };
        schedule.next(self.times, now).unwrap_or(now)
    }
}

/// Whether the next number would come from another range than `numbered`.
fn next_is_of_another_range(
    ranges: &[NumberRange],
    numbered: &Numbered,
    (issuer, environment): (&TaxId, Environment),
    at: DateTime<Utc>,
) -> bool {
    let today = local_date(at);
    let is_of_kind = |range: &&NumberRange| {
        range.issuer == *issuer && range.environment == environment && numbered.number.is_of(range.kind)
    };
    let next = ranges.iter().filter(is_of_kind).find(|range| range.remaining(today) > 0);
    next.is_some_and(|range| !(range.first..=range.last).contains(&numbered.number.sequence()))
}

impl SetupRejection {
    /// The problem that delays the document.
    pub const fn problem(&self) -> Problem {
        Problem { code: self.code, since: self.since }
    }
}
