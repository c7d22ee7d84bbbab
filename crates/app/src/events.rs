//! Events, as a merchant reads them.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{EventId, event::EventRecord, rights::Right};
use ports::{EventFilter, Page, Position};

use crate::{Caller, Error, ListPage, NotFound, PageRequest, Ports, lists::list, time::earlier};

/// How long events can be read.
const WINDOW: TimeDelta = TimeDelta::days(30);

/// A merchant's events, newest first.
pub async fn list_events(
    ports: &Ports,
    caller: &Caller,
    filter: EventFilter,
    request: &PageRequest,
) -> Result<ListPage<EventRecord>, Error> {
    caller.may(Right::EventsRead)?;
    let tenant = caller.tenant();
    let oldest = oldest(ports.clock.now());
    let created_after = Some(filter.created_after.map_or(oldest, |it| it.max(oldest)));
    let filter = EventFilter { accounts: caller.accounts().to_vec(), created_after, ..filter };
    let position = |it: &EventRecord| Position { created_at: it.created_at, id: it.id.as_str().to_owned() };
    let lines = |it: &EventRecord| it.of_sale().map_or(1, |event| event.sale.document.content().lines.len());
    let read = async |page: Page| ports.events.search(&tenant, &filter, &page).await;
    list(ports, &tenant, request, read, lines, position).await
}

/// One event.
pub async fn get_event(ports: &Ports, caller: &Caller, id: &str) -> Result<EventRecord, Error> {
    caller.may(Right::EventsRead)?;
    let not_found = || NotFound::EventNotFound.at("eventId");
    let id = EventId::parse(id).ok_or_else(not_found)?;
    let event = ports.events.find(&caller.tenant(), &id).await?;
    let event = event.filter(|it| it.created_at >= oldest(ports.clock.now())).ok_or_else(not_found)?;
    match event.account() {
        Some(account) => caller.may_use(account)?,
        // A restricted key does not see events without an account.
        None if !caller.accounts().is_empty() => return Err(not_found()),
        None => {}
    }
    Ok(event)
}

/// Returns the time from which on events can be read.
pub(crate) fn oldest(now: DateTime<Utc>) -> DateTime<Utc> {
    earlier(now, WINDOW)
}
