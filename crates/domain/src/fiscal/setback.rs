//! Refusals for how an issuer is set up: nothing is wrong with what the document says, and it goes out once more when that is
//! mended.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Environment, Issuance, NumberRange, Observation, ProblemCode, TaxId, local_date};

/// That the authority refused a document for how its issuer is set up, or for our clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setback {
    /// What is in its way.
    pub code: ProblemCode,
    /// Since when.
    pub since: DateTime<Utc>,
    /// When the authority said so last.
    pub at: DateTime<Utc>,
    /// How many times in a row it was refused like that.
    pub times: u32,
    /// Whether the number went with it.
    pub is_number_spent: bool,
    /// The authority's own messages.
    pub said: Vec<Observation>,
    /// As what it goes out since; `None` while that is not decided.
    pub again: Option<Again>,
}

/// As what a document that was set back goes out once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Again {
    /// The same bytes: they were refused for what is known elsewhere.
    SameBytes,
    /// Under the same number, which the authority does not count as used, and signed anew.
    SignedAnew,
    /// Under another number.
    Renumbered,
}

/// What of a set-up decides as what a document goes out once more.
#[derive(Clone, Copy, Debug)]
pub struct Means<'a> {
    /// Since when the certificate is there that is signed with.
    pub certificate_since: Option<DateTime<Utc>>,
    /// The ranges of the tenant, in the order in which they give.
    pub ranges: &'a [NumberRange],
}

/// What a merchant, or whoever operates this, changes in a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// Another certificate.
    Certificate,
    /// Another range of numbers.
    Range,
    /// Another profile.
    Profile,
}

impl Remedy {
    /// What it may clear. To try for anything else might cost a number for nothing.
    pub const fn clears(self) -> &'static [ProblemCode] {
        use ProblemCode as P;

        match self {
            Self::Certificate => &[P::CertificateInvalid, P::IssuerNotAuthorized],
            Self::Range => &[P::SequenceExhausted, P::SequenceExpired, P::IssuerNotAuthorized],
            Self::Profile => &[P::IssuerNotAuthorized],
        }
    }
}

impl ProblemCode {
    /// Whether a document that is refused for this waits until its cause is mended, rather than for a correction or a person.
    pub const fn sets_back(self) -> bool {
        matches!(
            self,
            Self::SequenceExhausted
                | Self::SequenceExpired
                | Self::CertificateInvalid
                | Self::IssuerNotAuthorized
                | Self::ClockSkew
        )
    }
}

impl Environment {
    /// Whether a number is spent by whatever comes of it.
    ///
    /// Source: DGII, *Descripción técnica*, on `secuenciaUtilizada`: where issuers are certified nothing is used again.
    pub(super) const fn spends_every_number(self) -> bool {
        matches!(self, Self::Certification)
    }
}

impl Setback {
    /// As what the document goes out once more.
    ///
    /// A number is used again only where the authority said that it is not spent, and is given up unspent only where the next
    /// would come from another range: another of the same would be refused like it.
    pub fn decide(&self, issuance: &Issuance, (issuer, environment): (&TaxId, Environment), with: Means<'_>) -> Again {
        use ProblemCode as P;

        let signed_at = issuance.signed.as_ref().map(|it| it.at);
        let is_certificate_newer = with.certificate_since > signed_at;
        let is_given_elsewhere = || gives_elsewhere(with.ranges, issuance, (issuer, environment), self.at);
        match self.code {
            _ if self.is_number_spent || issuance.numbered.is_none() => Again::Renumbered,
            P::ClockSkew => Again::SignedAnew,
            P::SequenceExpired | P::SequenceExhausted | P::IssuerNotAuthorized if is_given_elsewhere() => {
                Again::Renumbered
            }
            P::CertificateInvalid | P::IssuerNotAuthorized if is_certificate_newer => Again::SignedAnew,
            _ => Again::SameBytes,
        }
    }

    /// When it is tried again by itself, unless its cause is mended before. A try that costs a number is made less often.
    pub fn retry_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let pause = match (self.is_number_spent, self.times) {
            (false, 0 | 1) => TimeDelta::minutes(1),
            (false, 2) => TimeDelta::minutes(3),
            (false, 3) => TimeDelta::minutes(10),
            (false, 4) => TimeDelta::minutes(30),
            (false, _) | (true, 0 | 1) => TimeDelta::hours(1),
            (true, 2) => TimeDelta::hours(6),
            (true, _) => TimeDelta::hours(24),
        };
        now.checked_add_signed(pause).unwrap_or(now)
    }
}

/// Whether the next number would come from another range than the one that the document has.
fn gives_elsewhere(
    ranges: &[NumberRange],
    issuance: &Issuance,
    (issuer, environment): (&TaxId, Environment),
    at: DateTime<Utc>,
) -> bool {
    let Some(numbered) = &issuance.numbered else { return false };
    let today = local_date(at);
    let is_of_kind =
        |it: &&NumberRange| it.issuer == *issuer && it.environment == environment && numbered.number.is_of(it.kind);
    let giving = ranges.iter().filter(is_of_kind).find(|it| it.remaining(today) > 0);
    giving.is_some_and(|it| !(it.first..=it.last).contains(&numbered.number.sequence()))
}
