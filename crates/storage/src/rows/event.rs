use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    Event, EventId, EventKind, PaymentId, RequestId,
    event::{EventRecord, SaleEvent, Subject},
};
use ports::Tenant;

use super::{DocumentRow, Inconsistent, PaymentRow, counter, snapshot::restore_snapshot};
use crate::{
    records::optional,
    schema::events,
    time::{instant, millis},
};

/// One row of `events`, without the sequence number.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
pub(crate) struct EventRow {
    merchant: String,
    mode: String,
    payment: String,
    kind: String,
    previous_status: Option<String>,
    part: Option<i64>,
    request: Option<String>,
    occurred_at: i64,
    snapshot: Option<String>,
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
            kind: event.kind.as_str().to_owned(),
            previous_status: event.previous_status.map(str::to_owned),
            part: event.part.map(i64::from),
            request: request.map(|it| it.as_str().to_owned()),
            occurred_at: millis(at),
            snapshot: None,
        }
    }

    /// Adds the snapshot of the sale.
    pub(crate) fn showing(self, snapshot: Option<String>) -> Self {
        Self { snapshot, ..self }
    }
}

/// Reads an event from the row, the sequence number, and the current rows of the sale.
pub(crate) fn restore_event(
    (event, sequence, payment, document): (EventRow, i64, PaymentRow, DocumentRow),
) -> Result<EventRecord, Inconsistent> {
    let broken = Inconsistent::of("events", &format!("{} {sequence}", event.payment));
    let sequence = counter(sequence).ok_or_else(|| broken("sequence"))?;
    let about = PaymentId::parse(&event.payment).ok_or_else(|| broken("payment"))?;
    let sale = event.snapshot.as_deref().and_then(|it| restore_snapshot(it, (payment, document)));
    let told = SaleEvent {
        previous_status: event.previous_status,
        part: optional(event.part, |it| u8::try_from(it).ok()).ok_or_else(|| broken("part"))?,
        sequence,
        sale: sale.ok_or_else(|| broken("snapshot"))??,
    };
    Ok(EventRecord {
        id: EventId::of(&about, sequence).ok_or_else(|| broken("sequence"))?,
        kind: EventKind::from_code(&event.kind).ok_or_else(|| broken("kind"))?,
        created_at: instant(event.occurred_at).ok_or_else(|| broken("occurred_at"))?,
        request: optional(event.request.as_deref(), RequestId::parse).ok_or_else(|| broken("request"))?,
        subject: Subject::Sale(Box::new(told)),
    })
}
