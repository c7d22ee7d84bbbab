use chrono::{DateTime, Utc};
use domain::fiscal::{
    Dispatch, Issuance, IssuanceStage, Problem, QueuePosition, Resubmission, ResubmissionMode, SetupRejection,
    SignedDocument,
};
use serde::{Deserialize, Serialize};

use super::{
    optional,
    stage::{NumberedRecord, ProblemRecord, SignedRecord, messages, pairs},
};

/// Progress of a document on its way. Unknown fields are refused: each stage has exactly its own facts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IssuanceRecord {
    stage: StageRecord,
    submissions: u32,
    waits: u32,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    next_attempt_at: DateTime<Utc>,
}

/// Stage of a document on its way, by what it awaits.
#[derive(Serialize, Deserialize)]
#[serde(tag = "awaiting", rename_all = "snake_case", deny_unknown_fields)]
enum StageRecord {
    Number {
        rejection: Option<SetupRejectionRecord>,
    },
    Signature {
        numbered: NumberedRecord,
        // Followed by another field, since the query of contested numbers looks for it with a comma.
        duplicates: u32,
        resubmission: Option<ResubmissionRecord>,
    },
    Submission {
        dispatch: DispatchRecord,
        #[serde(with = "chrono::serde::ts_milliseconds_option")]
        submitted_at: Option<DateTime<Utc>>,
    },
    Verdict {
        dispatch: DispatchRecord,
        #[serde(with = "chrono::serde::ts_milliseconds")]
        submitted_at: DateTime<Utc>,
        track_id: Option<String>,
    },
    Setup {
        document: SignedDocumentRecord,
        #[serde(with = "chrono::serde::ts_milliseconds")]
        submitted_at: DateTime<Utc>,
        is_skipped: bool,
        rejection: SetupRejectionRecord,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DispatchRecord {
    document: SignedDocumentRecord,
    queue: String,
    resubmission: Option<ResubmissionRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignedDocumentRecord {
    numbered: NumberedRecord,
    signed: SignedRecord,
    // Followed by another field, as in `Signature`.
    duplicates: u32,
    #[serde(with = "chrono::serde::ts_milliseconds_option")]
    term_warned_at: Option<DateTime<Utc>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResubmissionRecord {
    rejection: SetupRejectionRecord,
    mode: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetupRejectionRecord {
    problem: ProblemRecord,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
    times: u32,
    is_number_spent: bool,
    /// The authority's messages, as code and text.
    authority_messages: Vec<(String, String)>,
}

const QUEUE_PLACES: [(QueuePosition, &str); 3] =
    [(QueuePosition::Outside, "outside"), (QueuePosition::Queued, "queued"), (QueuePosition::Skipped, "skipped")];

const MODES: [(ResubmissionMode, &str); 3] = [
    (ResubmissionMode::SameBytes, "same_bytes"),
    (ResubmissionMode::Resign, "resign"),
    (ResubmissionMode::Renumber, "renumber"),
];

impl From<&Issuance> for IssuanceRecord {
    fn from(issuance: &Issuance) -> Self {
        Self {
            stage: (&issuance.stage).into(),
            submissions: issuance.submissions,
            waits: issuance.waits,
            next_attempt_at: issuance.next_attempt_at,
        }
    }
}

impl IssuanceRecord {
    pub(super) fn restore(self) -> Option<Issuance> {
        Some(Issuance {
            stage: self.stage.restore()?,
            submissions: self.submissions,
            waits: self.waits,
            next_attempt_at: self.next_attempt_at,
        })
    }
}

impl From<&IssuanceStage> for StageRecord {
    fn from(stage: &IssuanceStage) -> Self {
        match stage {
            IssuanceStage::AwaitingNumber { rejection } => {
                Self::Number { rejection: rejection.as_ref().map(SetupRejectionRecord::from) }
            }
            IssuanceStage::AwaitingSignature { numbered, duplicates, resubmission } => Self::Signature {
                numbered: numbered.into(),
                duplicates: *duplicates,
                resubmission: resubmission.as_ref().map(ResubmissionRecord::from),
            },
            IssuanceStage::AwaitingSubmission { dispatch, submitted_at } => {
                Self::Submission { dispatch: dispatch.into(), submitted_at: *submitted_at }
            }
            IssuanceStage::AwaitingVerdict { dispatch, submitted_at, track_id } => {
                Self::Verdict { dispatch: dispatch.into(), submitted_at: *submitted_at, track_id: track_id.clone() }
            }
            IssuanceStage::AwaitingSetup { document, submitted_at, is_skipped, rejection } => Self::Setup {
                document: document.into(),
                submitted_at: *submitted_at,
                is_skipped: *is_skipped,
                rejection: rejection.into(),
            },
        }
    }
}

impl StageRecord {
    fn restore(self) -> Option<IssuanceStage> {
        Some(match self {
            Self::Number { rejection } => {
                IssuanceStage::AwaitingNumber { rejection: optional(rejection, SetupRejectionRecord::restore)? }
            }
            Self::Signature { numbered, duplicates, resubmission } => IssuanceStage::AwaitingSignature {
                numbered: numbered.restore()?,
                duplicates,
                resubmission: optional(resubmission, ResubmissionRecord::restore)?,
            },
            Self::Submission { dispatch, submitted_at } => {
                IssuanceStage::AwaitingSubmission { dispatch: dispatch.restore()?, submitted_at }
            }
            Self::Verdict { dispatch, submitted_at, track_id } => {
                IssuanceStage::AwaitingVerdict { dispatch: dispatch.restore()?, submitted_at, track_id }
            }
            Self::Setup { document, submitted_at, is_skipped, rejection } => IssuanceStage::AwaitingSetup {
                document: document.restore()?,
                submitted_at,
                is_skipped,
                rejection: rejection.restore()?,
            },
        })
    }
}

impl From<&Dispatch> for DispatchRecord {
    fn from(dispatch: &Dispatch) -> Self {
        Self {
            document: (&dispatch.document).into(),
            queue: spelled(&QUEUE_PLACES, dispatch.queue),
            resubmission: dispatch.resubmission.as_ref().map(ResubmissionRecord::from),
        }
    }
}

impl DispatchRecord {
    fn restore(self) -> Option<Dispatch> {
        Some(Dispatch {
            document: self.document.restore()?,
            queue: named(&QUEUE_PLACES, &self.queue)?,
            resubmission: optional(self.resubmission, ResubmissionRecord::restore)?,
        })
    }
}

impl From<&SignedDocument> for SignedDocumentRecord {
    fn from(document: &SignedDocument) -> Self {
        Self {
            numbered: (&document.numbered).into(),
            signed: (&document.signed).into(),
            duplicates: document.duplicates,
            term_warned_at: document.term_warned_at,
        }
    }
}

impl SignedDocumentRecord {
    fn restore(self) -> Option<SignedDocument> {
        Some(SignedDocument {
            numbered: self.numbered.restore()?,
            signed: self.signed.restore(),
            duplicates: self.duplicates,
            term_warned_at: self.term_warned_at,
        })
    }
}

impl From<&Resubmission> for ResubmissionRecord {
    fn from(resubmission: &Resubmission) -> Self {
        Self { rejection: (&resubmission.rejection).into(), mode: spelled(&MODES, resubmission.mode) }
    }
}

impl ResubmissionRecord {
    fn restore(self) -> Option<Resubmission> {
        Some(Resubmission { rejection: self.rejection.restore()?, mode: named(&MODES, &self.mode)? })
    }
}

impl From<&SetupRejection> for SetupRejectionRecord {
    fn from(rejection: &SetupRejection) -> Self {
        Self {
            problem: (&rejection.problem()).into(),
            at: rejection.at,
            times: rejection.times,
            is_number_spent: rejection.is_number_spent,
            authority_messages: pairs(&rejection.authority_messages),
        }
    }
}

impl SetupRejectionRecord {
    fn restore(self) -> Option<SetupRejection> {
        let Problem { code, since } = self.problem.restore()?;
        Some(SetupRejection {
            code,
            since,
            at: self.at,
            times: self.times,
            is_number_spent: self.is_number_spent,
            authority_messages: messages(self.authority_messages),
        })
    }
}

/// Spelling of `value` in `table`, which has every value.
fn spelled<T: Copy + PartialEq>(table: &[(T, &'static str)], value: T) -> String {
    table.iter().find(|(known, _)| *known == value).map_or_else(String::new, |(_, text)| (*text).to_owned())
}

fn named<T: Copy>(table: &[(T, &str)], text: &str) -> Option<T> {
    table.iter().find(|(_, known)| *known == text).map(|(value, _)| *value)
}
