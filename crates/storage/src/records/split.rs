use chrono::{DateTime, Utc};
use domain::{
    Currency, Money, Split,
    split::{Organizer, Part, PartProgress, Share, SplitState},
};
use serde::{Deserialize, Serialize};

use super::{CardRecord, part_stage::PartStageRecord};

/// How a bill is shared, and where each part stands. What that makes of the payment is computed.
#[derive(Serialize, Deserialize)]
pub(crate) struct SplitRecord {
    organizer: String,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    expires_at: DateTime<Utc>,
    is_window_over: bool,
    is_extended: bool,
    renewals: u8,
    /// By ordinal, from 1.
    parts: Vec<PartRecord>,
}

/// One share, in the payment's currency.
#[derive(Serialize, Deserialize)]
struct PartRecord {
    amount: i64,
    itbis: i64,
    method: Option<CardRecord>,
    attempts: u32,
    /// Number of cards that were not submitted.
    not_submitted: u32,
    stage: PartStageRecord,
}

impl From<&Split> for SplitRecord {
    fn from(split: &Split) -> Self {
        let SplitState { organizer, expires_at, is_window_over, is_extended, renewals, parts } = split.state();
        Self {
            organizer: organizer.as_str().to_owned(),
            expires_at: *expires_at,
            is_window_over: *is_window_over,
            is_extended: *is_extended,
            renewals: *renewals,
            parts: parts.iter().map(PartRecord::from).collect(),
        }
    }
}

impl From<&Part> for PartRecord {
    fn from(part: &Part) -> Self {
        Self {
            amount: part.share.amount.minor_units(),
            itbis: part.share.allocated_itbis.minor_units(),
            method: part.state().method.as_ref().map(CardRecord::from),
            attempts: part.state().attempts,
            not_submitted: part.state().unsent,
            stage: part.stage().into(),
        }
    }
}

impl SplitRecord {
    pub(crate) fn restore(self, currency: Currency) -> Option<Split> {
        let parts = (1..).zip(self.parts).map(|(ordinal, part)| part.restore(ordinal, currency));
        Some(Split::restore(SplitState {
            organizer: Organizer::from_code(&self.organizer)?,
            expires_at: self.expires_at,
            is_window_over: self.is_window_over,
            is_extended: self.is_extended,
            renewals: self.renewals,
            parts: parts.collect::<Option<_>>()?,
        }))
    }
}

impl PartRecord {
    fn restore(self, ordinal: u8, currency: Currency) -> Option<Part> {
        let money = |minor_units| Money::new(minor_units, currency);
        let share = Share { amount: money(self.amount), allocated_itbis: money(self.itbis) };
        let method = self.method.map(CardRecord::restore);
        let state =
            PartProgress { method, attempts: self.attempts, unsent: self.not_submitted, stage: self.stage.restore()? };
        Some(Part::restore(ordinal, share, state))
    }
}
