//! What every list has in common.

use chrono::{DateTime, Utc};
use domain::Refusal;
use ports::{Page, Position, Tenant, Unavailable};

use crate::Ports;

use super::cursor;

/// So many are read at one time: the usual part, and one more that tells whether more follow.
const STRIDE: u16 = 21;
/// A part ends here although more was asked for: bills are of a line or of a thousand, and what is read and shown at one
/// time has a bound.
const LINES: usize = 2_000;

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
pub struct ListPage<T> {
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

/// What was read for a part.
pub(crate) struct Gathered<T> {
    items: Vec<T>,
    /// Whether reading ended before the store did.
    is_cut: bool,
}

impl<T> From<Vec<T>> for Gathered<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, is_cut: false }
    }
}

/// Reads what `page` asks for in strides, until it is enough.
pub(crate) async fn gather<T, Read>(
    page: &Page,
    read: impl Fn(Page) -> Read,
    lines: impl Fn(&T) -> usize,
    position: impl Fn(&T) -> Position,
) -> Result<Gathered<T>, Unavailable>
where
    Read: Future<Output = Result<Vec<T>, Unavailable>>,
{
    let limit = usize::from(page.limit);
    let (mut items, mut total) = (Vec::new(), 0_usize);
    loop {
        let after = items.last().map(&position).or(page.after.clone());
        let wanted = usize::from(STRIDE).min(limit - items.len());
        let part = read(Page { after, limit: u16::try_from(wanted).unwrap_or(STRIDE) }).await?;
        let is_last = part.len() < wanted;
        for item in part {
            total = total.saturating_add(lines(&item));
            if total > LINES && !items.is_empty() {
                return Ok(Gathered { items, is_cut: true });
            }
            items.push(item);
        }
        if is_last || items.len() >= limit {
            return Ok(items.into());
        }
    }
}

/// The part that the store's answer makes.
pub(crate) fn listed<T>(
    ports: &Ports,
    tenant: &Tenant,
    asked: &PageRequest,
    page: Page,
    gathered: impl Into<Gathered<T>>,
    position: impl Fn(&T) -> Position,
) -> ListPage<T> {
    let Gathered { mut items, is_cut } = gathered.into();
    let has_more = is_cut || items.len() > usize::from(asked.limit);
    items.truncate(usize::from(asked.limit));
    let beginning = || Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() };
    let place = items.last().map(position).or(page.after).unwrap_or_else(beginning);
    ListPage { items, has_more, next_cursor: cursor::write(ports, tenant, &asked.filters, &place) }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use testkit::sample;

    use super::*;

    /// A store of so many things, the newest first, that notes what it is asked for.
    async fn gathered(stored: u32, limit: u16, lines: usize) -> (usize, bool, Vec<u16>) {
        let asked = RefCell::new(Vec::new());
        let position = |n: &u32| Position { created_at: sample::noon(), id: n.to_string() };
        let read = async |page: Page| {
            asked.borrow_mut().push(page.limit);
            let from = page.after.map_or(0, |it| it.id.parse::<u32>().unwrap() + 1);
            Ok((from..stored).take(page.limit.into()).collect())
        };
        let page = Page { after: None, limit };
        let Gathered { items, is_cut } = gather(&page, read, |_| lines, position).await.unwrap();
        assert!(items.iter().enumerate().all(|(at, n)| u32::try_from(at).unwrap() == *n), "{items:?}");
        (items.len(), is_cut, asked.into_inner())
    }

    #[tokio::test]
    async fn a_list_is_read_in_strides_up_to_what_was_asked_for() {
        assert_eq!(gathered(500, 21, 1).await, (21, false, vec![21]));
        assert_eq!(gathered(500, 101, 1).await, (101, false, vec![21, 21, 21, 21, 17]));
        assert_eq!(gathered(42, 101, 1).await, (42, false, vec![21, 21, 21]));
        assert_eq!(gathered(0, 101, 1).await, (0, false, vec![21]));
    }

    #[tokio::test]
    async fn a_list_of_long_bills_ends_where_it_is_long_enough() {
        assert_eq!(gathered(500, 101, 1000).await, (2, true, vec![21]));
        assert_eq!(gathered(500, 101, 90).await, (22, true, vec![21, 21]));
        // One is shown in any case, or nobody would come past it.
        assert_eq!(gathered(500, 21, 3000).await, (1, true, vec![21]));
    }
}
