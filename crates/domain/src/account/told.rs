use chrono::{DateTime, Utc};

use super::{Account, Blocker, Readiness};
use crate::{
    EventId, EventKind, RequestId,
    event::{EventRecord, Subject},
};

/// What was last told of an account's readiness: its status, and the codes of what stands in the way. Dates
/// of checks are no part of it, because nobody wants to hear that nothing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedReadiness(String);

impl NotifiedReadiness {
    /// What was told, as it is kept.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What was kept as `text`.
    pub fn from_text(text: &str) -> Option<Self> {
        let told = Self(text.to_owned());
        Readiness::STATUSES.contains(&told.status()).then_some(told)
    }

    /// The status that was told.
    pub fn status(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }

    fn of(readiness: &Readiness) -> Self {
        let code = |it: &Blocker| match it.detail {
            Some(kind) => format!(" {}:{}", it.code, kind.as_str()),
            None => format!(" {}", it.code),
        };
        Self(readiness.status().to_owned() + &readiness.blockers.iter().map(code).collect::<String>())
    }
}

/// What there is to know of an event of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountEvent {
    /// The account right after.
    pub account: Account,
    /// Its readiness right after.
    pub readiness: Readiness,
    /// The status that was told before.
    pub previous_status: String,
}

/// An account's readiness that is not what was last told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadinessChange {
    /// What was told before; nothing of an account that nobody has looked at yet.
    pub based_on: Option<NotifiedReadiness>,
    /// The account, with what is told from now on.
    pub account: Account,
    /// The event, unless nothing was told before.
    pub event: Option<EventRecord>,
}

impl Account {
    /// The account of which `readiness` is told from now on.
    #[must_use]
    pub fn with_notified(self, readiness: &Readiness) -> Self {
        Self { told: Some(NotifiedReadiness::of(readiness)), ..self }
    }

    /// What is to be told if `readiness` is how the account stands at `at`, after `request` if one brought
    /// it about; `None` if that was told already.
    pub fn readiness_change(
        &self,
        readiness: &Readiness,
        event: impl FnOnce() -> EventId,
        request: Option<&RequestId>,
        at: DateTime<Utc>,
    ) -> Option<ReadinessChange> {
        let based_on = self.told.clone();
        let account = self.clone().with_notified(readiness);
        if account.told == based_on {
            return None;
        }
        let tell = |before: &NotifiedReadiness| {
            let about = AccountEvent {
                account: account.clone(),
                readiness: readiness.clone(),
                previous_status: before.status().to_owned(),
            };
            EventRecord {
                id: event(),
                kind: EventKind::MerchantAccountReadinessChanged,
                created_at: at,
                request: request.cloned(),
                subject: Subject::Account(Box::new(about)),
            }
        };
        let event = based_on.as_ref().map(tell);
        Some(ReadinessChange { based_on, account, event })
    }
}
