use chrono::{DateTime, Utc};

use super::{Account, NotifiedReadiness, Readiness};
use crate::{
    EventId, EventKind, RequestId,
    event::{AccountEvent, EventRecord, Subject},
};

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
        Self { notified: Some(readiness.notified()), ..self }
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
