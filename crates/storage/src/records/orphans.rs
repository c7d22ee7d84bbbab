use chrono::{DateTime, Utc};
use domain::{
    AttemptId,
    payment::{PaymentState, Stray},
};
use serde::{Deserialize, Serialize};

use super::VerificationRecord;

/// The orphaned attempts of a payment, and the number of its cards that were not submitted.
#[derive(Serialize, Deserialize)]
pub(crate) struct OrphansRecord {
    not_submitted: u32,
    attempts: Vec<OrphanRecord>,
}

/// An attempt that its payment has continued without.
#[derive(Serialize, Deserialize)]
struct OrphanRecord {
    attempt: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    submitted_at: DateTime<Utc>,
    is_approved: bool,
    is_replaced: bool,
    is_undoing: bool,
    progress: VerificationRecord,
}

impl OrphansRecord {
    pub(crate) fn text(state: &PaymentState) -> Option<String> {
        let PaymentState { unsent, strays, .. } = state;
        let is_empty = *unsent == 0 && strays.is_empty();
        let attempts = strays.iter().map(OrphanRecord::from).collect();
        (!is_empty).then(|| super::text(&Self { not_submitted: *unsent, attempts }))
    }

    /// Returns the number of cards that were not submitted, and the orphaned attempts.
    pub(crate) fn restore(text: Option<&str>) -> Option<(u32, Vec<Stray>)> {
        let Some(text) = text else { return Some((0, Vec::new())) };
        let Self { not_submitted, attempts } = super::read(text)?;
        Some((not_submitted, attempts.iter().map(OrphanRecord::read).collect::<Option<_>>()?))
    }
}

impl OrphanRecord {
    fn read(&self) -> Option<Stray> {
        let progress = self.progress.restore(AttemptId::parse(&self.attempt)?, self.submitted_at);
        let Self { is_approved, is_replaced, is_undoing, .. } = *self;
        Some(Stray { is_approved, is_replaced, is_undoing, progress })
    }
}

impl From<&Stray> for OrphanRecord {
    fn from(stray: &Stray) -> Self {
        Self {
            attempt: stray.progress.attempt.as_str().to_owned(),
            submitted_at: stray.progress.submitted_at,
            is_approved: stray.is_approved,
            is_replaced: stray.is_replaced,
            is_undoing: stray.is_undoing,
            progress: VerificationRecord::from(&stray.progress),
        }
    }
}
