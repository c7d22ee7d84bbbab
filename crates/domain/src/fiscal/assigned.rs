//! Assigned fiscal numbers and their fate.

use chrono::{DateTime, Utc};

use super::{Acceptance, DocumentStage, FiscalNumber, IssuanceStage, Numbered, SetupRejection};
use crate::{FiscalDocumentId, PaymentId};

/// An assigned number and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignedNumber {
    /// The number with its day of issue.
    pub numbered: Numbered,
    /// The document.
    pub document: FiscalDocumentId,
    /// The revision.
    pub revision: u32,
    /// The payment of the document.
    pub payment: PaymentId,
    /// Time of the assignment.
    pub assigned_at: DateTime<Utc>,
    /// The fate.
    pub fate: NumberFate,
    /// When the authority, or our own rules, decided; `None` before, and of a revision that was corrected.
    pub decided_at: Option<DateTime<Utc>>,
}

spelled! {
    /// Fate of an assigned number.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum NumberFate {
        /// The document is in progress.
        Pending = "pending",
        /// The document was accepted.
        Accepted = "accepted",
        /// The document was accepted with remarks.
        AcceptedWithObservations = "accepted_with_observations",
        /// The document was rejected, and the number is spent.
        RejectedSpent = "rejected_spent",
        /// The document was rejected, and the authority does not count the number as used: the next revision reuses the
        /// number, or the number is annulled.
        RejectedNotSpent = "rejected_not_spent",
        /// The document was rejected, and a later revision has another number.
        Corrected = "corrected",
        /// The document was rejected, no revision uses the number, and the authority has annulled it.
        Annulled = "annulled",
    }
}

impl NumberFate {
    /// Returns the fate of a number by the stage of its document, and since when. The stage describes the newest
    /// revision; every earlier revision was rejected. The newest revision may have the unspent number of an earlier
    /// one.
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
