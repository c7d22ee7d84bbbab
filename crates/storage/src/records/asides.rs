use chrono::{DateTime, Utc};
use domain::{
    AttemptId,
    payment::{PaymentState, Stray},
};
use serde::{Deserialize, Serialize};

use super::VerificationRecord;

/// What is beside the way of a payment; most have nothing there.
#[derive(Serialize, Deserialize)]
pub(crate) struct AsidesRecord {
    unsent: u32,
    strays: Vec<StrayRecord>,
}

/// An attempt that its payment has moved on without.
#[derive(Serialize, Deserialize)]
struct StrayRecord {
    attempt: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    submitted_at: DateTime<Utc>,
    is_approved: bool,
    #[serde(default)]
    is_replaced: bool,
    #[serde(default)]
    is_undoing: bool,
    progress: VerificationRecord,
}

impl AsidesRecord {
    pub(crate) fn text(state: &PaymentState) -> Option<String> {
        let PaymentState { unsent, strays, .. } = state;
        let is_empty = *unsent == 0 && strays.is_empty();
        let strays = strays.iter().map(StrayRecord::from).collect();
        (!is_empty).then(|| super::text(&Self { unsent: *unsent, strays }))
    }

    /// How many cards never left, and the stray attempts.
    pub(crate) fn restore(text: Option<&str>) -> Option<(u32, Vec<Stray>)> {
        let Some(text) = text else { return Some((0, Vec::new())) };
        let Self { unsent, strays } = super::read(text)?;
        Some((unsent, strays.iter().map(StrayRecord::read).collect::<Option<_>>()?))
    }
}

impl StrayRecord {
    fn read(&self) -> Option<Stray> {
        let progress = self.progress.restore(AttemptId::parse(&self.attempt)?, self.submitted_at);
        let Self { is_approved, is_replaced, is_undoing, .. } = *self;
        Some(Stray { is_approved, is_replaced, is_undoing, progress })
    }
}

impl From<&Stray> for StrayRecord {
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
