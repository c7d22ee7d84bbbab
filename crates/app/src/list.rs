//! What every list has in common.

use chrono::{DateTime, Utc};
use domain::Refusal;
use ports::{Page, Position, Tenant};

use crate::{Ports, cursor};

/// Which part of a list is asked for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// 1 to 100.
    pub limit: u16,
    /// The cursor, as sent.
    pub cursor: Option<String>,
    /// Everything else that was asked for, in one canonical text: a cursor is good for it alone.
    pub filters: String,
}

/// One part of a list.
#[derive(Clone, Debug)]
pub struct Listed<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Whether more follow.
    pub has_more: bool,
    /// Where the next part begins. There is always one: after the last part it is the place of
    /// the last item, or the place that was asked for.
    pub next_cursor: String,
}

/// What the store is asked for: one item more than is shown tells whether more follow.
pub(crate) fn page(ports: &Ports, tenant: &Tenant, asked: &PageRequest) -> Result<Page, Refusal> {
    let read = |text: &String| cursor::read(ports, tenant, &asked.filters, text);
    let after = asked.cursor.as_ref().map(read).transpose()?;
    Ok(Page { after, limit: asked.limit.saturating_add(1) })
}

/// The part that the store's answer makes.
pub(crate) fn listed<T>(
    ports: &Ports,
    tenant: &Tenant,
    asked: &PageRequest,
    page: Page,
    mut items: Vec<T>,
    position: impl Fn(&T) -> Position,
) -> Listed<T> {
    let has_more = items.len() > usize::from(asked.limit);
    items.truncate(usize::from(asked.limit));
    let beginning = || Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() };
    let place = items.last().map(position).or(page.after).unwrap_or_else(beginning);
    Listed { items, has_more, next_cursor: cursor::write(ports, tenant, &asked.filters, &place) }
}
