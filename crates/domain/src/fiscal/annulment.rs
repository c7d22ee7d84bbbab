//! Annulment of numbers that no document has or will have.

use chrono::{DateTime, Utc};

use super::{DocumentKind, Environment, NumberRange, Observation, ProblemCode, TaxId};
use crate::AnnulmentId;

/// Annulment of consecutive unused numbers, with the authority's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annulment {
    /// The identifier.
    pub id: AnnulmentId,
    /// The issuer.
    pub issuer: TaxId,
    /// In which environment.
    pub environment: Environment,
    /// Of which kind.
    pub kind: DocumentKind,
    /// The first number of the range that they were cut from.
    pub range: u64,
    /// The first of them.
    pub first: u64,
    /// The last of them.
    pub last: u64,
    /// Time when the numbers were cut from their range, as in the signed bytes.
    pub intended_at: DateTime<Utc>,
    /// The state.
    pub state: AnnulmentState,
    /// When the authority decided.
    pub settled_at: Option<DateTime<Utc>>,
    /// The authority's last messages.
    pub authority_messages: Vec<Observation>,
}

spelled! {
    /// State of an annulment.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum AnnulmentState {
        /// The authority's verdict is not known. No document gets the numbers in any case.
        Unresolved = "unresolved",
        /// The authority took the numbers back.
        Annulled = "annulled",
        /// The authority did not take them back. No document gets the numbers all the same.
        Refused = "refused",
    }
}

/// Verdict of the authority about an annulment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnulmentVerdict {
    /// The numbers are annulled, now or before.
    Annulled(Vec<Observation>),
    /// The numbers are not annulled.
    Refused(Vec<Observation>),
    /// The numbers may be annulled: the response is missing or cannot be parsed.
    Unknown(Vec<Observation>),
    /// The request provably did not reach the authority.
    Unavailable,
    /// The authority refuses the issuer's access, for this reason.
    Blocked(ProblemCode),
}

/// Why numbers cannot be cut from a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAnnullable {
    /// No number of the range is left.
    NothingLeft,
    /// They are not numbers of the range.
    Outside,
    /// Some of the numbers are spent or in use by documents, or were annulled before.
    Used,
}

/// Rest of a range after numbers were cut out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remains {
    /// The range before the cut.
    pub range: NumberRange,
    /// The numbers after the cut, if unassigned numbers are left on both sides: a range of its own with the same age.
    pub beyond: Option<NumberRange>,
}

impl Annulment {
    /// Whether the numbers have the issuer, environment and kind of the range.
    pub fn is_of_series(&self, of: &NumberRange) -> bool {
        (&self.issuer, self.environment, self.kind) == (&of.issuer, of.environment, of.kind)
    }

    /// How many numbers they are.
    pub const fn count(&self) -> u64 {
        self.last.saturating_add(1).saturating_sub(self.first)
    }

    /// The same annulment after the authority spoke. Once the numbers are taken back they stay so.
    #[must_use]
    pub fn apply_verdict(self, verdict: AnnulmentVerdict, now: DateTime<Utc>) -> Self {
        if self.state == AnnulmentState::Annulled {
            return self;
        }
        match verdict {
            AnnulmentVerdict::Annulled(authority_messages) => {
                Self { state: AnnulmentState::Annulled, settled_at: Some(now), authority_messages, ..self }
            }
            AnnulmentVerdict::Refused(authority_messages) => {
                Self { state: AnnulmentState::Refused, settled_at: Some(now), authority_messages, ..self }
            }
            AnnulmentVerdict::Unknown(authority_messages) => {
                Self { state: AnnulmentState::Unresolved, settled_at: None, authority_messages, ..self }
            }
            // The request had no effect: the last state stays.
            AnnulmentVerdict::Unavailable | AnnulmentVerdict::Blocked(_) => self,
        }
    }
}

impl NumberRange {
    /// Returns the range without the unassigned numbers from `first` to `last`.
    ///
    /// # Errors
    ///
    /// [`NotAnnullable`] if the numbers cannot be cut out.
    pub fn without(&self, first: u64, last: u64) -> Result<Remains, NotAnnullable> {
        if self.unused() == 0 {
            Err(NotAnnullable::NothingLeft)
        } else if first > last || first < self.first || last > self.last {
            Err(NotAnnullable::Outside)
        } else if first < self.next {
            Err(NotAnnullable::Used)
        } else if first == self.next {
            Ok(Remains { range: Self { next: last.saturating_add(1), ..self.clone() }, beyond: None })
        } else {
            let after = last.saturating_add(1);
            let beyond = (last < self.last).then(|| Self { first: after, next: after, ..self.clone() });
            Ok(Remains { range: Self { last: first.saturating_sub(1), ..self.clone() }, beyond })
        }
    }
}
