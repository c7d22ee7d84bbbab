use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    Event, EventId, PaymentId, RequestId,
    event::{EventRecord, SaleEvent, Subject},
};
use ports::Tenant;

use super::{
    DocumentRow, Inconsistent, PaymentRow, StoredRow,
    snapshot::{RestoredSnapshot, restore_snapshot},
};
use crate::{column::Column, schema::events};

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
        event: &Event,
        request: Option<&RequestId>,
        at: DateTime<Utc>,
        snapshot: Option<String>,
    ) -> Self {
        Self {
            merchant: tenant.merchant.store(),
            mode: tenant.mode.store(),
            payment: about.store(),
            kind: event.kind.store(),
            previous_status: event.previous_status.map(str::to_owned),
            part: event.part.store(),
            request: request.map(Column::store),
            occurred_at: at.store(),
            snapshot,
        }
    }
}

/// An event with the sequence number, and the current rows of the sale.
impl StoredRow for (EventRow, i64, PaymentRow, DocumentRow) {
    type Value = EventRecord;

    fn restore(self) -> Result<EventRecord, Inconsistent> {
        let (event, sequence, payment, document) = self;
        let broken = Inconsistent::of("events", &format!("{} {sequence}", event.payment));
        let sequence = Column::load(sequence, "sequence").map_err(&broken)?;
        let about = PaymentId::load(event.payment, "payment").map_err(&broken)?;
        let snapshot = event.snapshot.as_deref().and_then(|it| restore_snapshot(it, (payment, document)));
        let RestoredSnapshot { sale, refund, note } = snapshot.ok_or_else(|| broken("snapshot"))??;
        let sale_event = SaleEvent {
            previous_status: event.previous_status,
            part: Option::load(event.part, "part").map_err(&broken)?,
            sequence,
            sale,
            refund: refund.map(Box::new),
            note: note.map(Box::new),
        };
        Ok(EventRecord {
            id: EventId::of(&about, sequence).ok_or_else(|| broken("sequence"))?,
            kind: Column::load(event.kind, "kind").map_err(&broken)?,
            created_at: Column::load(event.occurred_at, "occurred_at").map_err(&broken)?,
            request: Option::load(event.request, "request").map_err(&broken)?,
            subject: Subject::Sale(Box::new(sale_event)),
        })
    }
}
