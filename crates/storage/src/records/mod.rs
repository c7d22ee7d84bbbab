//! What is kept as JSON: nested content that no query looks into.
//!
//! The domain knows no JSON, so each of its types that is nested has a record here. A record that
//! the domain cannot read is `None`, and the row says which column it was.

mod account;
mod address;
mod breakdown;
mod card;
mod challenge;
mod content;
mod delivery;
mod details;
mod display;
mod hex;
mod issuance;
mod lines;
mod orphans;
mod part_stage;
mod probe;
mod readiness;
mod split;
mod stage;
mod terms;
mod verification;

pub(crate) use account::{Abilities, keys_accounts, read_keys_accounts};
pub(crate) use address::AddressRecord;
pub(crate) use card::CardRecord;
pub(crate) use challenge::ChallengeRecord;
pub(crate) use content::ContentRecord;
pub(crate) use delivery::DeliveryRecord;
pub(crate) use details::DetailsRecord;
pub(crate) use orphans::OrphansRecord;
pub(crate) use probe::ProbeRecord;
pub(crate) use readiness::ReadinessRecord;
pub(crate) use split::SplitRecord;
pub(crate) use stage::{read_stage, stage_text};
pub(crate) use terms::TermsRecord;
pub(crate) use verification::VerificationRecord;

use serde::{Serialize, de::DeserializeOwned};

/// The text of a record.
pub(crate) fn text<T: Serialize>(record: &T) -> String {
    serde_json::to_string(record).expect("records are made of texts, numbers and lists alone")
}

/// The record in `text`.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// `None` if there is something and it cannot be read: absent and unreadable are two things.
pub(crate) fn optional<S, T>(stored: Option<S>, read: impl FnOnce(S) -> Option<T>) -> Option<Option<T>> {
    match stored {
        None => Some(None),
        Some(stored) => read(stored).map(Some),
    }
}

/// `None` unless every text can be read.
fn all<T>(texts: &[String], parse: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    texts.iter().map(|it| parse(it)).collect()
}
