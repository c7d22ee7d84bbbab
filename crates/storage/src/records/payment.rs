use chrono::{DateTime, Utc};
use domain::{
    AttemptId,
    attempt::CardSummary,
    fiscal::Breakdown,
    merchant::MerchantDisplay,
    payment::{Action, Challenge, OrphanStage, OrphanedAttempt, PaymentFacts, ReversalReason, Verification},
    sale::CheckoutDisplay,
    text::{BoundedText, Prose, WebUrl},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    json::{Json, Own, Ref, names, record, tagged, via},
    parts,
};

names!(ReversalReason { LateApproval = "late_approval", Replacement = "replacement" });

record!(CardSummary { brand, last4 });
record!(Challenge { link, action, is_method_notified, requested_at as "asked_at", expires_at });
record!(CheckoutDisplay {
    mode,
    locale,
    merchant,
    available_kinds,
    is_propina_applicable,
    wallets,
    card_brands,
    three_ds_programs,
});

record!(MerchantDisplay {
    legal_name,
    rnc,
    display_name,
    support_phone,
    support_email,
    permanent_address,
    statement_descriptor,
});

parts! {
    /// Facts of a payment that no query needs.
    DetailsParts of PaymentFacts {
        return_url: Option<WebUrl>,
        service_label: Option<BoundedText<0, 24>>,
        description: Option<BoundedText<1, 80>>,
        // Pairs, because their order counts.
        metadata: Option<Vec<(String, Prose)>>,
        display: CheckoutDisplay,
        breakdown: Breakdown,
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Action", rename_all = "snake_case")]
enum ActionForm {
    Method { form: String },
    Challenge { address: String, request: String },
}

impl Json for Action {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ActionForm::serialize(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ActionForm::deserialize(deserializer)
    }
}

/// Progress of the reconciliation of an attempt, without the identifier of the attempt.
pub(crate) struct VerificationProgress {
    started_at: DateTime<Utc>,
    next_check_at: DateTime<Utc>,
    checks: u32,
    negatives: u32,
    is_escalated: bool,
}

record!(VerificationProgress { started_at, next_check_at, checks, negatives, is_escalated });

impl From<&Verification> for VerificationProgress {
    fn from(verification: &Verification) -> Self {
        let &Verification { started_at, next_check_at, checks, negatives, is_escalated, .. } = verification;
        Self { started_at, next_check_at, checks, negatives, is_escalated }
    }
}

impl VerificationProgress {
    pub(crate) fn restore(self, attempt: AttemptId, submitted_at: DateTime<Utc>) -> Verification {
        let Self { started_at, next_check_at, checks, negatives, is_escalated } = self;
        Verification { attempt, submitted_at, started_at, next_check_at, checks, negatives, is_escalated }
    }
}

struct OrphanRecord {
    attempt: AttemptId,
    submitted_at: DateTime<Utc>,
    stage: OrphanStage,
    progress: VerificationProgress,
}

record!(strict OrphanRecord { attempt, submitted_at, stage, progress });
via!(OrphanedAttempt as OrphanRecord:
    |orphan| OrphanRecord {
        attempt: orphan.progress.attempt.clone(),
        submitted_at: orphan.progress.submitted_at,
        stage: orphan.stage,
        progress: VerificationProgress::from(&orphan.progress),
    },
    |OrphanRecord { attempt, submitted_at, stage, progress }| {
        Some(Self { stage, progress: progress.restore(attempt, submitted_at) })
    }
);
tagged!(OrphanStage by "name" {
    "watched" {} => [Self::Monitored],
    "reversal_due" { reason } => [Self::ReversalDue(reason)],
    "reversing" { reason } => [Self::Reversing(reason)],
});

/// Orphaned attempts of a payment, and the number of cards that were not submitted.
pub(crate) struct OrphansRecord {
    pub(crate) not_submitted: u32,
    pub(crate) orphans: Vec<OrphanedAttempt>,
}

record!(strict OrphansRecord { not_submitted, orphans });
