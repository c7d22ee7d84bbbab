use chrono::{DateTime, Utc};
use domain::{AttemptId, payment::Verification};
use serde::{Deserialize, Serialize};

/// How far the reconciliation of an attempt has come; which attempt it is, other columns say.
#[derive(Serialize, Deserialize)]
pub(crate) struct VerificationRecord {
    #[serde(with = "chrono::serde::ts_milliseconds")]
    started_at: DateTime<Utc>,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    next_check_at: DateTime<Utc>,
    checks: u32,
    negatives: u32,
    is_escalated: bool,
}

impl From<&Verification> for VerificationRecord {
    fn from(verification: &Verification) -> Self {
        Self {
            started_at: verification.started_at,
            next_check_at: verification.next_check_at,
            checks: verification.checks,
            negatives: verification.negatives,
            is_escalated: verification.is_escalated,
        }
    }
}

impl VerificationRecord {
    pub(crate) fn restore(&self, attempt: AttemptId, submitted_at: DateTime<Utc>) -> Verification {
        Verification {
            attempt,
            submitted_at,
            started_at: self.started_at,
            next_check_at: self.next_check_at,
            checks: self.checks,
            negatives: self.negatives,
            is_escalated: self.is_escalated,
        }
    }
}
