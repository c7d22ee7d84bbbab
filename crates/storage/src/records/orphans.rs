use chrono::{DateTime, Utc};
use domain::{
    AttemptId,
    payment::{OrphanStage, OrphanedAttempt, PaymentState, ReversalReason},
};
use serde::{Deserialize, Serialize};

use super::VerificationRecord;

/// Facts beside the stage of a payment; most payments have none.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrphansRecord {
    not_submitted: u32,
    orphans: Vec<OrphanRecord>,
}

/// An attempt that its payment has moved on without.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrphanRecord {
    attempt: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    submitted_at: DateTime<Utc>,
    stage: OrphanStageRecord,
    progress: VerificationRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
enum OrphanStageRecord {
    // With braces: a unit variant would accept unknown fields.
    Watched {},
    ReversalDue { reason: ReasonRecord },
    Reversing { reason: ReasonRecord },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReasonRecord {
    LateApproval,
    Replacement,
}

impl OrphansRecord {
    pub(crate) fn text(state: &PaymentState) -> Option<String> {
        let PaymentState { not_submitted, orphans, .. } = state;
        let is_empty = *not_submitted == 0 && orphans.is_empty();
        let orphans = orphans.iter().map(OrphanRecord::from).collect();
        (!is_empty).then(|| super::text(&Self { not_submitted: *not_submitted, orphans }))
    }

    /// Returns the number of cards that never left, and the orphaned attempts.
    pub(crate) fn restore(text: Option<&str>) -> Option<(u32, Vec<OrphanedAttempt>)> {
        let Some(text) = text else { return Some((0, Vec::new())) };
        let Self { not_submitted, orphans } = super::read(text)?;
        Some((not_submitted, orphans.into_iter().map(OrphanRecord::restore).collect::<Option<_>>()?))
    }
}

impl OrphanRecord {
    fn restore(self) -> Option<OrphanedAttempt> {
        let progress = self.progress.restore(AttemptId::parse(&self.attempt)?, self.submitted_at);
        let stage = match self.stage {
            OrphanStageRecord::Watched {} => OrphanStage::Watched,
            OrphanStageRecord::ReversalDue { reason } => OrphanStage::ReversalDue(reason.into()),
            OrphanStageRecord::Reversing { reason } => OrphanStage::Reversing(reason.into()),
        };
        Some(OrphanedAttempt { stage, progress })
    }
}

impl From<&OrphanedAttempt> for OrphanRecord {
    fn from(orphan: &OrphanedAttempt) -> Self {
        Self {
            attempt: orphan.progress.attempt.as_str().to_owned(),
            submitted_at: orphan.progress.submitted_at,
            stage: match orphan.stage {
                OrphanStage::Watched => OrphanStageRecord::Watched {},
                OrphanStage::ReversalDue(reason) => OrphanStageRecord::ReversalDue { reason: reason.into() },
                OrphanStage::Reversing(reason) => OrphanStageRecord::Reversing { reason: reason.into() },
            },
            progress: VerificationRecord::from(&orphan.progress),
        }
    }
}

impl From<ReasonRecord> for ReversalReason {
    fn from(reason: ReasonRecord) -> Self {
        match reason {
            ReasonRecord::LateApproval => Self::LateApproval,
            ReasonRecord::Replacement => Self::Replacement,
        }
    }
}

impl From<ReversalReason> for ReasonRecord {
    fn from(reason: ReversalReason) -> Self {
        match reason {
            ReversalReason::LateApproval => Self::LateApproval,
            ReversalReason::Replacement => Self::Replacement,
        }
    }
}
