use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{AsSelect, IntoBoxed, Select, auto_type},
    prelude::*,
};
use domain::{EventId, PaymentId, Symbols, event::EventRecord};
use ports::{EventFilter, EventStore, Page, Tenant, Unavailable};

use super::{super::sweep, Backend, Store, filters::only, sales::of};
use crate::{
    event_sequences::EventSequences,
    failure::unavailable,
    rows::{AccountEventRow, DocumentRow, EventRow, PaymentRow, StoredRow},
    schema::{account_events, events, fiscal_documents, payments},
    scope::Scope,
    time::{bound, millis},
};

/// An event, the sequence number, and the current rows of the sale.
type Row = (EventRow, i64, PaymentRow, DocumentRow);

#[async_trait]
impl EventStore for Store {
    async fn find(&self, tenant: &Tenant, id: &EventId) -> Result<Option<EventRecord>, Unavailable> {
        Ok(self.find_all(tenant, std::slice::from_ref(id)).await?.pop())
    }

    async fn find_all(&self, tenant: &Tenant, ids: &[EventId]) -> Result<Vec<EventRecord>, Unavailable> {
        let of_payments: Vec<_> = ids.iter().filter_map(EventId::parts).collect();
        let others: Vec<String> = ids.iter().filter(|it| it.parts().is_none()).map(ToString::to_string).collect();
        let mut found = Vec::new();
        if !of_payments.is_empty() {
            let events = of_payments.into_iter().map(|(payment, sequence)| (payment.to_string(), sequence.into()));
            let events = EventSequences::of(events);
            let query = published().filter(only!(events, tenant)).filter(of(tenant)).filter(events);
            found.extend(self.all::<Row, _>(Scope::of(tenant), query).await?);
        }
        if !others.is_empty() {
            let query = account_events::table
                .select(AccountEventRow::as_select())
                .filter(only!(account_events, tenant))
                .filter(account_events::id.eq_any(others));
            found.extend(self.all(Scope::of(tenant), query).await?);
        }
        Ok(found)
    }

    async fn search(
        &self,
        tenant: &Tenant,
        filter: &EventFilter,
        page: &Page,
    ) -> Result<Vec<EventRecord>, Unavailable> {
        let events = events_of(tenant, filter, page);
        if filter.payment.is_some() {
            return self.all::<Row, _>(Scope::of(tenant), events).await;
        }
        let account_events = account_events_of(tenant, filter, page);
        let (rows, others): (Vec<Row>, Vec<AccountEventRow>) =
            self.load_two(Scope::of(tenant), events, account_events).await?;
        let rows = rows.into_iter().map(Row::restore).chain(others.into_iter().map(AccountEventRow::restore));
        let mut found: Vec<EventRecord> = rows.collect::<Result<_, _>>().map_err(unavailable)?;
        found.sort_by(|one, two| (two.created_at, two.id.as_str()).cmp(&(one.created_at, one.id.as_str())));
        found.truncate(page.limit.into());
        Ok(found)
    }

    async fn sweep(&self, occurred_before: DateTime<Utc>, limit: u16) -> Result<u64, Unavailable> {
        let (before, limit_rows) = (bound(occurred_before), i64::from(limit));
        let mut swept = 0_u64;
        // Deliveries need their events, so they are deleted first.
        for statement in sweep(before, limit_rows) {
            let removed = self.execute(Scope::SWEEP, statement).await?;
            swept = swept.saturating_add(removed);
            if removed == u64::from(limit) {
                break;
            }
        }
        Ok(swept)
    }
}

/// Narrows a list down by kind and time.
macro_rules! narrow {
    ($query:ident, $filter:ident, $kind:path, $occurred_at:path) => {{
        if !$filter.kinds.is_empty() {
            let kinds: Vec<&'static str> = $filter.kinds.iter().map(|it| it.as_str()).collect();
            $query = $query.filter($kind.eq_any(kinds));
        }
        if let Some(first) = $filter.created_after {
            $query = $query.filter($occurred_at.ge(bound(first)));
        }
        if let Some(end) = $filter.created_before {
            $query = $query.filter($occurred_at.lt(bound(end)));
        }
    }};
}

fn events_of(tenant: &Tenant, filter: &EventFilter, page: &Page) -> EventsOf {
    let mut query = published().into_boxed::<Backend>().filter(only!(events, tenant)).filter(of(tenant));
    if !filter.accounts.is_empty() {
        let accounts: Vec<String> = filter.accounts.iter().map(ToString::to_string).collect();
        query = query.filter(payments::account.eq_any(accounts));
    }
    if let Some(payment) = &filter.payment {
        query = query.filter(events::payment.eq(payment.to_string()));
    }
    narrow!(query, filter, events::kind, events::occurred_at);
    if let Some(after) = &page.after {
        let occurred_at = millis(after.created_at);
        // The plain bound is redundant, but lets the scan of the index start there.
        query = query.filter(events::occurred_at.le(occurred_at));
        // The position before the first event has no identifier.
        if let Some((payment, sequence)) = EventId::parse(&after.id).and_then(|id| position(&id)) {
            let is_earlier = events::payment
                .lt(payment.to_string())
                .or(events::payment.eq(payment.to_string()).and(events::sequence.lt(i64::from(sequence))));
            query = query.filter(events::occurred_at.lt(occurred_at).or(is_earlier));
        }
    }
    let newest = (events::occurred_at.desc(), events::payment.desc(), events::sequence.desc());
    query.order(newest).limit(page.limit.into())
}

/// Returns the position of an event among those of payments. Another event precedes the payment with the same symbols.
fn position(id: &EventId) -> Option<(PaymentId, u32)> {
    let symbols = id.as_str().strip_prefix(EventId::PREFIX).and_then(Symbols::parse);
    id.parts().or_else(|| symbols.map(|it| (PaymentId::new(&it), 0)))
}

fn account_events_of(tenant: &Tenant, filter: &EventFilter, page: &Page) -> AccountEventsOf {
    let mut query = account_events::table
        .select(AccountEventRow::as_select())
        .into_boxed::<Backend>()
        .filter(only!(account_events, tenant));
    if !filter.accounts.is_empty() {
        let accounts: Vec<String> = filter.accounts.iter().map(ToString::to_string).collect();
        query = query.filter(account_events::account.eq_any(accounts));
    }
    narrow!(query, filter, account_events::kind, account_events::occurred_at);
    if let Some(after) = &page.after {
        let occurred_at = millis(after.created_at);
        query = query.filter(account_events::occurred_at.le(occurred_at));
        if let Some(id) = EventId::parse(&after.id) {
            query = query.filter(account_events::occurred_at.lt(occurred_at).or(account_events::id.lt(id.to_string())));
        }
    }
    query.order((account_events::occurred_at.desc(), account_events::id.desc())).limit(page.limit.into())
}

type EventsOf = IntoBoxed<'static, PublishedEvents, Backend>;
type AccountEventsOf = IntoBoxed<'static, Select<account_events::table, AsSelect<AccountEventRow, Backend>>, Backend>;

/// Published events with their sales.
#[auto_type(type_name = "PublishedEvents")]
fn published() -> _ {
    let its_payment = payments::merchant
        .eq(events::merchant)
        .and(payments::mode.eq(events::mode))
        .and(payments::id.eq(events::payment));
    let its_document = fiscal_documents::merchant
        .eq(events::merchant)
        .and(fiscal_documents::mode.eq(events::mode))
        .and(fiscal_documents::id.eq(payments::document));
    let event: AsSelect<EventRow, Backend> = EventRow::as_select();
    let payment: AsSelect<PaymentRow, Backend> = PaymentRow::as_select();
    let document: AsSelect<DocumentRow, Backend> = DocumentRow::as_select();
    events::table
        .inner_join(payments::table.on(its_payment))
        .inner_join(fiscal_documents::table.on(its_document))
        .filter(events::snapshot.is_not_null())
        .select((event, events::sequence, payment, document))
}
