//! Annulment of numbers that no document has or will have.

use chrono::{DateTime, Utc};

use super::{DocumentKind, Environment, NumberRange, Observation, ProblemCode, TaxId};
use crate::AnnulmentId;

/// Consecutive numbers that no document will ever have, and what the authority says of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annulment {
    /// Its name.
    pub id: AnnulmentId,
    /// Whose numbers they are.
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
    /// When they were cut from their range: what was signed states it.
    pub intended_at: DateTime<Utc>,
    /// What became of it.
    pub state: AnnulmentState,
    /// When the authority decided.
    pub settled_at: Option<DateTime<Utc>>,
    /// What the authority said last.
    pub said: Vec<Observation>,
}

/// What became of an annulment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnnulmentState {
    /// The authority has not said what became of it. No document gets the numbers all the same.
    Unresolved,
    /// The authority took the numbers back.
    Annulled,
    /// The authority did not take them back. No document gets the numbers all the same.
    Refused,
}

/// What the authority says of an annulment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnulmentVerdict {
    /// It took the numbers back, now or before.
    Annulled(Vec<Observation>),
    /// It does not take them back.
    Refused(Vec<Observation>),
    /// It may have taken them back: the answer was lost, or cannot be understood.
    Unknown(Vec<Observation>),
    /// It provably has not heard of it.
    Unavailable,
    /// It does not let us in, for what the code says.
    Barred(ProblemCode),
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

/// What is left of a range that numbers were cut from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remains {
    /// The range, without them and without what is beyond them.
    pub range: NumberRange,
    /// The numbers beyond them, if others that were never given are on both sides: a range of its own, which is as old.
    pub beyond: Option<NumberRange>,
}

impl AnnulmentState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Unresolved, Self::Annulled, Self::Refused];

    /// The spelling in storage and in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unresolved => "unresolved",
            Self::Annulled => "annulled",
            Self::Refused => "refused",
        }
    }

    /// The state spelled `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

impl Annulment {
    /// Whether its numbers are of the issuer, environment and kind of the range.
    pub fn is_of_series(&self, of: &NumberRange) -> bool {
        (&self.issuer, self.environment, self.kind) == (&of.issuer, of.environment, of.kind)
    }

    /// How many numbers they are.
    pub const fn count(&self) -> u64 {
        self.last.saturating_add(1).saturating_sub(self.first)
    }

    /// The same annulment after the authority spoke. Once the numbers are taken back they stay so.
    #[must_use]
    pub fn answered(self, verdict: AnnulmentVerdict, now: DateTime<Utc>) -> Self {
        if self.state == AnnulmentState::Annulled {
            return self;
        }
        match verdict {
            AnnulmentVerdict::Annulled(said) => {
                Self { state: AnnulmentState::Annulled, settled_at: Some(now), said, ..self }
            }
            AnnulmentVerdict::Refused(said) => {
                Self { state: AnnulmentState::Refused, settled_at: Some(now), said, ..self }
            }
            AnnulmentVerdict::Unknown(said) => {
                Self { state: AnnulmentState::Unresolved, settled_at: None, said, ..self }
            }
            // It was not heard: whatever was known stays known.
            AnnulmentVerdict::Unavailable | AnnulmentVerdict::Barred(_) => self,
        }
    }
}

impl NumberRange {
    /// The same range without the numbers from `first` to `last`, wherever they are among what was never given.
    ///
    /// # Errors
    ///
    /// [`NotAnnullable`] if they cannot be cut out.
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
