use domain::webhook::{WebhookAttempt, WebhookDelivery};
use ports::{AttemptedDelivery, DueDelivery, LoggedDelivery, Tenant};

use super::row;
use crate::{column::Column, schema::webhook_deliveries};

row! {
    /// A delivery that was leased.
    DueRow in webhook_deliveries by endpoint {
        merchant: String,
        mode: String,
        endpoint: String,
        occurred_at: i64,
        attempts: i64,
        lease_until: i64,
        (subject: String, sequence: i64) as subject,
    }
    DueDelivery {
        tenant: Tenant { merchant, mode },
        endpoint,
        event: subject,
        occurred_at,
        attempts,
        lease_until,
    }
}

row! {
    /// Columns of a delivery in the log of an endpoint.
    LoggedRow in webhook_deliveries by endpoint {
        endpoint: String,
        occurred_at: i64,
        kind: String,
        attempts: i64,
        (subject: String, sequence: i64) as subject,
        (status: String, due_at: Option<i64>, ended_at: Option<i64>) as status,
        (last_attempt_at: Option<i64>, last_result: Option<String>, last_duration: Option<i64>) as last_attempt_at,
    }
    LoggedDelivery {
        endpoint,
        event: subject,
        kind,
        occurred_at,
        delivery: WebhookDelivery { attempts, status },
        last: last_attempt_at,
    }
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
            let (subject, sequence) = due.event.store();
            let (status, due_at, ended_at) = to.status.store();
            columns.endpoint.push(due.endpoint.store());
            columns.occurred_at.push(due.occurred_at.store());
            columns.subject.push(subject);
            columns.sequence.push(sequence);
            columns.lease_until.push(due.lease_until.store());
            columns.attempts.push(to.attempts.store());
            columns.status.push(status);
            columns.due_at.push(due_at);
            columns.ended_at.push(ended_at);
            columns.last_attempt_at.push(at.store());
            columns.last_result.push(result.store());
            columns.last_duration.push(took.store());
        }
        columns
    }
}
