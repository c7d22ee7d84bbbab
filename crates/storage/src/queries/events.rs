use async_trait::async_trait;
use diesel::{
    dsl::{AsSelect, auto_type},
    prelude::*,
};
use domain::{EventId, event::EventRecord};
use ports::{EventFilter, EventStore, Page, Tenant, Unavailable};

use super::{Backend, Store, sales::of};
use crate::{
    failure::unavailable,
    rows::{DocumentRow, EventRow, PaymentRow, restore_event},
    schema::{events, fiscal_documents, payments},
    scope::Scope,
    time::{bound, millis},
};

/// An event, its sequence, and its sale's rows of today.
type Row = (EventRow, i64, PaymentRow, DocumentRow);

#[async_trait]
impl EventStore for Store {
    async fn find(&self, tenant: &Tenant, id: &EventId) -> Result<Option<EventRecord>, Unavailable> {
        let Some((payment, sequence)) = id.parts() else { return Ok(None) };
        let query = told()
            .filter(by(tenant))
            .filter(of(tenant))
            .filter(events::payment.eq(payment.to_string()))
            .filter(events::sequence.eq(i64::from(sequence)));
        let row: Option<Row> = self.load(Scope::of(tenant), query).await?.pop();
        row.map(restore_event).transpose().map_err(unavailable)
    }

    async fn search(
        &self,
        tenant: &Tenant,
        filter: &EventFilter,
        page: &Page,
    ) -> Result<Vec<EventRecord>, Unavailable> {
        let mut query = told().filter(by(tenant)).filter(of(tenant)).into_boxed::<Backend>();
        if !filter.accounts.is_empty() {
            let accounts: Vec<String> = filter.accounts.iter().map(ToString::to_string).collect();
            query = query.filter(payments::account.eq_any(accounts));
        }
        if !filter.kinds.is_empty() {
            let kinds: Vec<&'static str> = filter.kinds.iter().map(|it| it.as_str()).collect();
            query = query.filter(events::kind.eq_any(kinds));
        }
        if let Some(payment) = &filter.payment {
            query = query.filter(events::payment.eq(payment.to_string()));
        }
        if let Some(first) = filter.created_after {
            query = query.filter(events::occurred_at.ge(bound(first)));
        }
        if let Some(end) = filter.created_before {
            query = query.filter(events::occurred_at.lt(bound(end)));
        }
        if let Some(seen) = &page.after {
            let occurred_at = millis(seen.created_at);
            // Said twice, because only the plain bound tells an index where to begin.
            query = query.filter(events::occurred_at.le(occurred_at));
            // The place before everything has no event's name, and nothing to leave out.
            if let Some((payment, sequence)) = EventId::parse(&seen.id).and_then(|it| it.parts()) {
                let is_earlier = events::payment
                    .lt(payment.to_string())
                    .or(events::payment.eq(payment.to_string()).and(events::sequence.lt(i64::from(sequence))));
                query = query.filter(events::occurred_at.lt(occurred_at).or(is_earlier));
            }
        }
        let newest = (events::occurred_at.desc(), events::payment.desc(), events::sequence.desc());
        let rows: Vec<Row> = self.load(Scope::of(tenant), query.order(newest).limit(page.limit.into())).await?;
        rows.into_iter().map(restore_event).collect::<Result<_, _>>().map_err(unavailable)
    }
}

/// Events that have something to show, with the sales that they are about.
#[auto_type(no_type_alias)]
fn told() -> _ {
    let its_payment = payments::merchant
        .eq(events::merchant)
        .and(payments::mode.eq(events::mode))
        .and(payments::id.eq(events::payment));
    let its_document = fiscal_documents::merchant
        .eq(events::merchant)
        .and(fiscal_documents::mode.eq(events::mode))
        .and(fiscal_documents::payment.eq(events::payment));
    let event: AsSelect<EventRow, Backend> = EventRow::as_select();
    let payment: AsSelect<PaymentRow, Backend> = PaymentRow::as_select();
    let document: AsSelect<DocumentRow, Backend> = DocumentRow::as_select();
    events::table
        .inner_join(payments::table.on(its_payment))
        .inner_join(fiscal_documents::table.on(its_document))
        .filter(events::snapshot.is_not_null())
        .select((event, events::sequence, payment, document))
}

/// Those of one tenant.
#[auto_type(no_type_alias)]
fn by(tenant: &Tenant) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    events::merchant.eq(merchant).and(events::mode.eq(mode))
}
