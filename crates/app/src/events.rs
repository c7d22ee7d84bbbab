//! What happened, as a merchant may read it again.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{EventId, event::EventRecord, rights::Right};
use ports::{EventFilter, Page, Position};

use crate::{
    Caller, Error, ListPage, NotFound, PageRequest, Ports,
    lists::page,
    lists::{gather, listed},
    time::earlier,
};

/// How long events can be read.
const WINDOW: TimeDelta = TimeDelta::days(30);

/// A merchant's events, newest first.
pub async fn list_events(
    ports: &Ports,
    caller: &Caller,
    filter: EventFilter,
    asked: &PageRequest,
) -> Result<ListPage<EventRecord>, Error> {
    caller.may(Right::EventsRead)?;
    let tenant = caller.tenant();
    let page = page(ports, &tenant, asked)?;
    let oldest = oldest(ports);
    let created_after = Some(filter.created_after.map_or(oldest, |it| it.max(oldest)));
    let filter = EventFilter { accounts: caller.accounts().to_vec(), created_after, ..filter };
    let position = |it: &EventRecord| Position { created_at: it.created_at, id: it.id.as_str().to_owned() };
    let lines = |it: &EventRecord| it.of_sale().map_or(1, |told| told.sale.document.content().lines.len());
    let read = async |page: Page| ports.events.search(&tenant, &filter, &page).await;
    let events = gather(&page, read, lines, position).await?;
    Ok(listed(ports, &tenant, asked, page, events, position))
}

/// One event.
pub async fn get_event(ports: &Ports, caller: &Caller, id: &str) -> Result<EventRecord, Error> {
    caller.may(Right::EventsRead)?;
    let not_found = || Error::NotFound(NotFound::EventNotFound, Some("eventId"));
    let id = EventId::parse(id).ok_or_else(not_found)?;
    let event = ports.events.find(&caller.tenant(), &id).await?;
    let event = event.filter(|it| it.created_at >= oldest(ports)).ok_or_else(not_found)?;
    match event.account() {
        Some(account) => caller.may_use(account)?,
        // What is about no account is not for a key that is for some.
        None if !caller.accounts().is_empty() => return Err(not_found()),
        None => {}
    }
    Ok(event)
}

/// Forgets events that can no longer be read, and what is known of their deliveries: of each sort so many at most. Says
/// how many there were.
pub async fn sweep_events(ports: &Ports, limit: u16) -> Result<u64, Error> {
    if !ports.clock_guard.admits_work() {
        return Ok(0);
    }
    Ok(ports.events.sweep(oldest(ports), limit).await?)
}

pub(crate) fn oldest(ports: &Ports) -> DateTime<Utc> {
    let now = ports.clock.now();
    earlier(now, WINDOW)
}
