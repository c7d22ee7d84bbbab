use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use domain::{
    EventId, EventKind, PaymentId, WebhookEndpointId,
    webhook::{WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus, WebhookResult},
};
use ports::{AttemptedDelivery, DueDelivery, LoggedDelivery};

use super::{Inconsistent, counter, read_tenant};
use crate::{
    schema::webhook_deliveries,
    time::{instant, millis},
};

/// A delivery that was leased: merchant, mode, endpoint, time of the event, subject, sequence, attempts and lease.
pub(crate) type DueRow = (String, String, String, i64, String, i64, i64, i64);

/// Returns the columns that identify an event in `webhook_deliveries`: payment and sequence number, or event and
/// 0.
pub(crate) fn event_columns(event: &EventId) -> (String, i64) {
    match event.parts() {
        Some((payment, sequence)) => (payment.to_string(), sequence.into()),
        None => (event.to_string(), 0),
    }
}

/// Reads the identifier of an event.
pub(crate) fn restore_event_id(subject: &str, sequence: i64) -> Option<EventId> {
    match PaymentId::parse(subject) {
        Some(payment) => EventId::of(&payment, counter(sequence)?),
        None => EventId::parse(subject),
    }
}

pub(crate) fn restore_due(
    (merchant, mode, endpoint, occurred_at, subject, sequence, attempts, lease_until): DueRow,
) -> Result<DueDelivery, Inconsistent> {
    let broken = Inconsistent::of("webhook_deliveries", &endpoint);
    Ok(DueDelivery {
        tenant: read_tenant(&merchant, &mode).ok_or_else(|| broken("merchant"))?,
        endpoint: WebhookEndpointId::parse(&endpoint).ok_or_else(|| broken("endpoint"))?,
        event: restore_event_id(&subject, sequence).ok_or_else(|| broken("subject"))?,
        occurred_at: instant(occurred_at).ok_or_else(|| broken("occurred_at"))?,
        attempts: counter(attempts).ok_or_else(|| broken("attempts"))?,
        lease_until: instant(lease_until).ok_or_else(|| broken("lease_until"))?,
    })
}

/// Returns status, due time and end of a delivery.
pub(crate) fn status_columns(status: WebhookDeliveryStatus) -> (&'static str, Option<i64>, Option<i64>) {
    let column = |at: DateTime<Utc>| Some(millis(at));
    match status {
        WebhookDeliveryStatus::Pending(due) => (status.as_str(), column(due), None),
        WebhookDeliveryStatus::Delivered(at) => (status.as_str(), None, column(at)),
        WebhookDeliveryStatus::Failed(at) => (status.as_str(), None, column(at)),
    }
}

/// Returns the stored text of the result of an attempt.
pub(crate) fn result_text(result: WebhookResult) -> String {
    match (result, result.failure()) {
        (_, Some(failure)) => failure.to_owned(),
        (WebhookResult::Status(status), None) => status.to_string(),
        _ => String::new(),
    }
}

/// Columns of a delivery in the log of an endpoint.
#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_deliveries)]
pub(crate) struct LoggedRow {
    endpoint: String,
    occurred_at: i64,
    subject: String,
    sequence: i64,
    kind: String,
    attempts: i64,
    status: String,
    due_at: Option<i64>,
    ended_at: Option<i64>,
    last_attempt_at: Option<i64>,
    last_result: Option<String>,
    last_duration: Option<i64>,
}

pub(crate) fn restore_logged(row: LoggedRow) -> Result<LoggedDelivery, Inconsistent> {
    let broken = Inconsistent::of("webhook_deliveries", &row.endpoint);
    let status = match (row.status.as_str(), row.due_at.and_then(instant), row.ended_at.and_then(instant)) {
        ("pending", Some(due), None) => WebhookDeliveryStatus::Pending(due),
        ("delivered", None, Some(at)) => WebhookDeliveryStatus::Delivered(at),
        ("failed", None, Some(at)) => WebhookDeliveryStatus::Failed(at),
        _ => return Err(broken("status")),
    };
    let last = match (row.last_attempt_at, row.last_result.as_deref(), row.last_duration) {
        (None, None, None) => None,
        (Some(at), Some(result), Some(took)) => Some(WebhookAttempt {
            at: instant(at).ok_or_else(|| broken("last_attempt_at"))?,
            result: read_result(result).ok_or_else(|| broken("last_result"))?,
            took: TimeDelta::milliseconds(took),
        }),
        _ => return Err(broken("last_attempt_at")),
    };
    Ok(LoggedDelivery {
        endpoint: WebhookEndpointId::parse(&row.endpoint).ok_or_else(|| broken("endpoint"))?,
        event: restore_event_id(&row.subject, row.sequence).ok_or_else(|| broken("subject"))?,
        kind: EventKind::from_code(&row.kind).ok_or_else(|| broken("kind"))?,
        occurred_at: instant(row.occurred_at).ok_or_else(|| broken("occurred_at"))?,
        delivery: WebhookDelivery { attempts: counter(row.attempts).ok_or_else(|| broken("attempts"))?, status },
        last,
    })
}

/// Reads the result of an attempt.
pub(crate) fn read_result(text: &str) -> Option<WebhookResult> {
    WebhookResult::from_failure(text).or_else(|| text.parse().ok().map(WebhookResult::Status))
}

/// Results of attempts by column, so that one statement writes many rows.
#[derive(Clone, Default)]
pub(crate) struct FinishedColumns {
    pub(crate) endpoint: Vec<String>,
    pub(crate) occurred_at: Vec<i64>,
    pub(crate) subject: Vec<String>,
    pub(crate) sequence: Vec<i64>,
    pub(crate) lease_until: Vec<i64>,
    pub(crate) attempts: Vec<i64>,
    pub(crate) status: Vec<String>,
    pub(crate) due_at: Vec<Option<i64>>,
    pub(crate) ended_at: Vec<Option<i64>>,
    pub(crate) last_attempt_at: Vec<i64>,
    pub(crate) last_result: Vec<String>,
    pub(crate) last_duration: Vec<i64>,
}

impl FinishedColumns {
    pub(crate) fn of(attempted: Vec<AttemptedDelivery>) -> Self {
        let mut columns = Self::default();
        for AttemptedDelivery { due, to, attempt: WebhookAttempt { at, result, took } } in attempted {
            let (subject, sequence) = event_columns(&due.event);
            let (status, due_at, ended_at) = status_columns(to.status);
            columns.endpoint.push(due.endpoint.to_string());
            columns.occurred_at.push(millis(due.occurred_at));
            columns.subject.push(subject);
            columns.sequence.push(sequence);
            columns.lease_until.push(millis(due.lease_until));
            columns.attempts.push(to.attempts.into());
            columns.status.push(status.to_owned());
            columns.due_at.push(due_at);
            columns.ended_at.push(ended_at);
            columns.last_attempt_at.push(millis(at));
            columns.last_result.push(result_text(result));
            columns.last_duration.push(took.num_milliseconds());
        }
        columns
    }
}
