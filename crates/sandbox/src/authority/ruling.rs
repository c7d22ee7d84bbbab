//! Decision of the authority about a received document.

use domain::fiscal::{Acceptance, Observation, ProblemCode, Verdict};

/// Decision of the authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Valid.
    Accepted {
        /// Remarks.
        remarks: Vec<Observation>,
    },
    /// Invalid.
    Rejected {
        /// Classification in this project.
        problem: ProblemCode,
        is_number_spent: bool,
        /// The authority's message.
        reason: Observation,
    },
}

impl Ruling {
    /// Whether the number is no longer available.
    pub(crate) const fn spends_the_number(&self) -> bool {
        match self {
            Self::Accepted { .. } => true,
            Self::Rejected { is_number_spent, .. } => *is_number_spent,
        }
    }

    /// Returns the verdict as queries report it.
    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Self::Accepted { remarks } if remarks.is_empty() => Verdict::Accepted(Acceptance::Accepted),
            Self::Accepted { remarks } => Verdict::Accepted(Acceptance::WithObservations(remarks.clone())),
            Self::Rejected { problem, is_number_spent, reason } => Verdict::Rejected {
                code: *problem,
                is_number_spent: *is_number_spent,
                authority_messages: vec![reason.clone()],
            },
        }
    }
}
