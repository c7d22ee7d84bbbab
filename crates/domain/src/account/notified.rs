use chrono::{DateTime, Utc};

use super::{Account, Blocker, Readiness};
use crate::{
    EventId, EventKind, RequestId,
    event::{EventRecord, Subject},
};

/// Readiness in the last event of an account: its status, and the codes of its blockers. Without the dates of checks,
/// which change without news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedReadiness(String);

impl NotifiedReadiness {
    /// Returns the stored text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a stored text.
    pub fn from_text(text: &str) -> Option<Self> {
        let told = Self(text.to_owned());
        Readiness::STATUSES.contains(&told.status()).then_some(told)
    }

    /// Returns the status.
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

/// Payload of an account's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountEvent {
    /// The account right after.
    pub account: Account,
    /// The readiness after the change.
    pub readiness: Readiness,
    /// The status of the event before.
    pub previous_status: String,
}

/// Readiness of an account that differs from its last event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadinessChange {
    /// The readiness of the event before; `None` for an account without a check.
    pub based_on: Option<NotifiedReadiness>,
    /// The account with the new readiness.
    pub account: Account,
    /// The event; `None` for the first check.
    pub event: Option<EventRecord>,
}

impl Account {
    /// Returns the account with `readiness` as that of its last event.
    #[must_use]
    pub fn with_notified(self, readiness: &Readiness) -> Self {
        Self { notified: Some(NotifiedReadiness::of(readiness)), ..self }
    }

    /// Returns the change to `readiness` at `at`, caused by `request` if present; `None` if the last event had the
    /// same readiness.
    pub fn readiness_change(
        &self,
        readiness: &Readiness,
        event: impl FnOnce() -> EventId,
        request: Option<&RequestId>,
        at: DateTime<Utc>,
    ) -> Option<ReadinessChange> {
        let based_on = self.notified.clone();
        let account = self.clone().with_notified(readiness);
        if account.notified == based_on {
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
