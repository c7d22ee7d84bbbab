//! Stages between the payment and the authority's verdict. Each variant has exactly the facts of its stage.

use chrono::{DateTime, Utc};

use super::{Numbered, Resubmission, SetupRejection, SignedDocument};

/// Stage of a document in progress; each has one next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IssuanceStage {
    /// No number is assigned.
    AwaitingNumber {
        /// Rejection after which the document gets another number.
        rejection: Option<SetupRejection>,
    },
    /// A number is assigned, and the document is not signed.
    AwaitingSignature {
        /// Number of the document.
        numbered: Numbered,
        /// How often the authority has reported the number as used.
        duplicates: u32,
        /// Rejection after which the document is signed.
        resubmission: Option<Resubmission>,
    },
    /// Signed, and not received by the authority as far as is known.
    AwaitingSubmission {
        /// The signed document and its queue position.
        dispatch: Dispatch,
        /// Last submission of these bytes.
        submitted_at: Option<DateTime<Utc>>,
    },
    /// Submitted with an unknown result: a look-up comes before the bytes are sent again.
    AwaitingVerdict {
        /// The signed document and its queue position.
        dispatch: Dispatch,
        /// Last submission of these bytes.
        submitted_at: DateTime<Utc>,
        /// The authority's receipt for that submission.
        track_id: Option<String>,
    },
    /// Rejected for its issuer's set-up, and submitted again after the correction.
    AwaitingSetup {
        /// The rejected document.
        document: SignedDocument,
        /// Last submission of these bytes.
        submitted_at: DateTime<Utc>,
        /// Whether younger documents were sent before this one.
        is_skipped: bool,
        /// The rejection.
        rejection: SetupRejection,
    },
}

/// Next step of a document in progress.
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
    /// Compose, check and sign the document. Its bytes are committed at the latest with the start of the submission.
    Sign,
    /// Send the signed bytes.
    Submit,
    /// Look up the last submission.
    Inquire,
}

/// A signed document that is to be sent, or was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The signed document.
    pub document: SignedDocument,
    /// Position in the issuer's queue.
    pub queue: QueuePosition,
    /// Rejection after which the document is submitted again.
    pub resubmission: Option<Resubmission>,
}

/// Place of a signed document in the queue of documents that an unreachable authority has not received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueuePosition {
    /// Not in the queue.
    Outside,
    /// In the queue: younger documents wait for this one.
    Queued,
    /// A younger document was received while this one was not. The document never queues again.
    Skipped,
}

/// Contradiction between the facts of a stage that the type cannot rule out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StageViolation {
    /// Waits for the set-up without the delay of a rejection.
    #[error("a document that waits for its issuer's set-up is delayed by its rejection")]
    SetupWithoutDelay,
    /// Waits for the set-up, or was renumbered or sent again, after another kind of rejection.
    #[error("the rejection is not for the issuer's set-up")]
    NotForSetup,
    /// Same bytes without a signature.
    #[error("the same bytes are submitted again without a signature")]
    UnsignedBytes,
    /// A number is reused that the rejection has spent.
    #[error("a spent number is used again")]
    SpentNumber,
    /// Submitted, and no submission counted.
    #[error("a submitted document has no submission")]
    NeverSubmitted,
    /// More reports of a used number than are believed, or reports without a submission.
    #[error("the count of reports of a used number is impossible")]
    Duplicates,
}

impl QueuePosition {
    /// Place after the document joins the queue.
    pub(super) const fn entered(self) -> Self {
        match self {
            Self::Skipped => Self::Skipped,
            Self::Outside | Self::Queued => Self::Queued,
        }
    }

    /// Place after the authority has responded about the document.
    pub(super) const fn left(self) -> Self {
        match self {
            Self::Skipped => Self::Skipped,
            Self::Outside | Self::Queued => Self::Outside,
        }
    }
}

impl IssuanceStage {
    /// The next step of the stage.
    pub const fn next_step(&self) -> IssueStep {
        match self {
            Self::AwaitingNumber { .. } => IssueStep::AssignNumber,
            Self::AwaitingSignature { .. } => IssueStep::Sign,
            Self::AwaitingSubmission { .. } => IssueStep::Submit,
            Self::AwaitingVerdict { .. } => IssueStep::Inquire,
            Self::AwaitingSetup { .. } => IssueStep::Resubmit,
        }
    }

    /// Returns the number, once one is assigned.
    pub const fn numbered(&self) -> Option<&Numbered> {
        match self {
            Self::AwaitingNumber { .. } => None,
            Self::AwaitingSignature { numbered, .. } => Some(numbered),
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => {
                Some(&dispatch.document.numbered)
            }
            Self::AwaitingSetup { document, .. } => Some(&document.numbered),
        }
    }

    /// Returns the signed document, after the signature.
    pub const fn document(&self) -> Option<&SignedDocument> {
        match self {
            Self::AwaitingNumber { .. } | Self::AwaitingSignature { .. } => None,
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => {
                Some(&dispatch.document)
            }
            Self::AwaitingSetup { document, .. } => Some(document),
        }
    }

    /// Returns the document that is to be sent, or was sent without a response.
    pub const fn dispatch(&self) -> Option<&Dispatch> {
        match self {
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => Some(dispatch),
            _ => None,
        }
    }

    /// Time of the last submission of this revision.
    pub const fn submitted_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::AwaitingNumber { .. } | Self::AwaitingSignature { .. } => None,
            Self::AwaitingSubmission { submitted_at, .. } => *submitted_at,
            Self::AwaitingVerdict { submitted_at, .. } | Self::AwaitingSetup { submitted_at, .. } => {
                Some(*submitted_at)
            }
        }
    }

    /// Whether a submission has an unknown result and must be looked up.
    pub const fn awaits_verdict(&self) -> bool {
        matches!(self, Self::AwaitingVerdict { .. })
    }

    /// The authority's receipt for the last submission.
    pub fn track_id(&self) -> Option<&str> {
        match self {
            Self::AwaitingVerdict { track_id, .. } => track_id.as_deref(),
            _ => None,
        }
    }

    /// How often the authority has reported the number as used.
    pub const fn duplicates(&self) -> u32 {
        match self {
            Self::AwaitingNumber { .. } => 0,
            Self::AwaitingSignature { duplicates, .. } => *duplicates,
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => {
                dispatch.document.duplicates
            }
            Self::AwaitingSetup { document, .. } => document.duplicates,
        }
    }

    /// Place in the queue of documents that the authority has not received.
    pub const fn queue(&self) -> QueuePosition {
        match self {
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => dispatch.queue,
            Self::AwaitingSetup { is_skipped: true, .. } => QueuePosition::Skipped,
            _ => QueuePosition::Outside,
        }
    }

    /// The last rejection that led, or leads, to another submission.
    pub fn last_rejection(&self) -> Option<&SetupRejection> {
        match self {
            Self::AwaitingNumber { rejection } => rejection.as_ref(),
            Self::AwaitingSetup { rejection, .. } => Some(rejection),
            _ => self.resubmission().map(|resubmission| &resubmission.rejection),
        }
    }

    /// The rejection after which the numbered document is submitted again, and how.
    pub fn resubmission(&self) -> Option<&Resubmission> {
        match self {
            Self::AwaitingNumber { .. } | Self::AwaitingSetup { .. } => None,
            Self::AwaitingSignature { resubmission, .. } => resubmission.as_ref(),
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => {
                dispatch.resubmission.as_ref()
            }
        }
    }

    pub(super) const fn document_mut(&mut self) -> Option<&mut SignedDocument> {
        match self {
            Self::AwaitingNumber { .. } | Self::AwaitingSignature { .. } => None,
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => {
                Some(&mut dispatch.document)
            }
            Self::AwaitingSetup { document, .. } => Some(document),
        }
    }

    pub(super) const fn dispatch_mut(&mut self) -> Option<&mut Dispatch> {
        match self {
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => Some(dispatch),
            _ => None,
        }
    }

    /// Stage after the authority provably did not receive the last submission.
    pub(super) fn not_received(self) -> Self {
        match self {
            Self::AwaitingVerdict { dispatch, submitted_at, .. } => {
                Self::AwaitingSubmission { dispatch, submitted_at: Some(submitted_at) }
            }
            other => other,
        }
    }

    /// Returns the stage with the document in the queue, unless it was skipped.
    pub(super) const fn queued(mut self) -> Self {
        if let Some(dispatch) = self.dispatch_mut() {
            dispatch.queue = dispatch.queue.entered();
        }
        self
    }

    /// Stage after the authority has received the document. A verdict without a receipt leaves the known one.
    pub(super) fn in_process(self, receipt: Option<String>) -> Self {
        match self {
            Self::AwaitingVerdict { dispatch, submitted_at, track_id } => {
                Self::AwaitingVerdict { dispatch, submitted_at, track_id: receipt.or(track_id) }
            }
            Self::AwaitingSubmission { dispatch, submitted_at: Some(submitted_at) } => {
                Self::AwaitingVerdict { dispatch, submitted_at, track_id: receipt }
            }
            other => other,
        }
    }

    /// Stage after a rejection for the issuer's set-up; `None` if this revision was never submitted.
    pub(super) fn rejected_for_setup(self, rejection: SetupRejection) -> Option<Self> {
        let submitted_at = self.submitted_at()?;
        let is_skipped = self.queue() == QueuePosition::Skipped;
        let document = match self {
            Self::AwaitingNumber { .. } | Self::AwaitingSignature { .. } => return None,
            Self::AwaitingSubmission { dispatch, .. } | Self::AwaitingVerdict { dispatch, .. } => dispatch.document,
            Self::AwaitingSetup { document, .. } => document,
        };
        Some(Self::AwaitingSetup { document, submitted_at, is_skipped, rejection })
    }
}
