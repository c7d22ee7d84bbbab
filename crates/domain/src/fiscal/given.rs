//! What became of the numbers that were given.

use chrono::{DateTime, Utc};

use super::{Acceptance, DocumentStage, FiscalNumber, IssuanceStage, Numbered, SetupRejection};
use crate::{FiscalDocumentId, PaymentId};

/// A number that was given, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignedNumber {
    /// The number, with its day of issue.
    pub numbered: Numbered,
    /// The document that it was given to.
    pub document: FiscalDocumentId,
    /// Which revision of it.
    pub revision: u32,
    /// The payment of the document.
    pub payment: PaymentId,
    /// When it was given.
    pub assigned_at: DateTime<Utc>,
    /// What became of it.
    pub fate: NumberFate,
    /// When the authority, or our own rules, decided; `None` before, and of a revision that was corrected.
    pub decided_at: Option<DateTime<Utc>>,
}

/// What became of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberFate {
    /// Its document is on its way.
    Pending,
    /// Its document was accepted as it is.
    Accepted,
    /// Its document was accepted with remarks.
    AcceptedWithObservations,
    /// Its document was refused, and the number went with it.
    RejectedSpent,
    /// Its document was refused, and the authority does not count the number as used: the next revision reuses the
    /// number, or the number is annulled.
    RejectedNotSpent,
    /// Its document was refused, and a later revision has a number of its own.
    Corrected,
    /// Its document was refused, no revision uses it, and the authority has annulled it.
    Annulled,
}

impl NumberFate {
    /// Every fate, in the order of a life.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Accepted,
        Self::AcceptedWithObservations,
        Self::RejectedSpent,
        Self::RejectedNotSpent,
        Self::Corrected,
        Self::Annulled,
    ];

    /// The spelling in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::AcceptedWithObservations => "accepted_with_observations",
            Self::RejectedSpent => "rejected_spent",
            Self::RejectedNotSpent => "rejected_not_spent",
            Self::Corrected => "corrected",
            Self::Annulled => "annulled",
        }
    }

    /// What became of a number whose document stands there, and since when. Only the newest revision of a document is in
    /// its stage: those before were refused, or there would be none after them. A number that was not spent by that may be
    /// that of the newest all the same.
    pub fn of(stage: &DocumentStage, number: &FiscalNumber, is_newest_revision: bool) -> (Self, Option<DateTime<Utc>>) {
        let is_in_use = || stage.numbered().is_some_and(|it| it.number == *number);
        if !is_newest_revision && !is_in_use() {
            return (Self::Corrected, None);
        }
        match stage {
            DocumentStage::Delayed(issuance, _) => match issuance.stage {
                IssuanceStage::AwaitingSetup {
                    rejection: SetupRejection { is_number_spent: true, at, .. }, ..
                } => (Self::RejectedSpent, Some(at)),
                _ => (Self::Pending, None),
            },
            DocumentStage::Issued(issued) => {
                let fate = match issued.acceptance {
                    Acceptance::Accepted => Self::Accepted,
                    Acceptance::WithObservations(_) => Self::AcceptedWithObservations,
                };
                (fate, Some(issued.at))
            }
            DocumentStage::Rejected(rejection) => {
                let is_spent = rejection.is_number_spent;
                (if is_spent { Self::RejectedSpent } else { Self::RejectedNotSpent }, Some(rejection.at))
            }
            DocumentStage::Requested | DocumentStage::Issuing(_) | DocumentStage::Canceled { .. } => {
                (Self::Pending, None)
            }
        }
    }
}
