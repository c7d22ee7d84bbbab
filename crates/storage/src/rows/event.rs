use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{Event, PaymentId, RequestId};
use ports::Tenant;

use crate::{schema::events, time::millis};

/// One row of `events`, but for its place in the sequence.
#[derive(Insertable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
pub(crate) struct EventRow {
    merchant: String,
    mode: String,
    payment: String,
    kind: &'static str,
    previous_status: Option<&'static str>,
    request: Option<String>,
    occurred_at: i64,
}

impl EventRow {
    pub(crate) fn new(
        tenant: &Tenant,
        about: &PaymentId,
        event: Event,
        request: Option<&RequestId>,
        at: DateTime<Utc>,
    ) -> Self {
        Self {
            merchant: tenant.merchant.as_str().to_owned(),
            mode: tenant.mode.as_str().to_owned(),
            payment: about.as_str().to_owned(),
            kind: event.kind.as_str(),
            previous_status: event.previous_status,
            request: request.map(|it| it.as_str().to_owned()),
            occurred_at: millis(at),
        }
    }
}
