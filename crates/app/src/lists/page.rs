//! Pages of lists.

use chrono::{DateTime, Utc};
use domain::{Refusal, listing::PageRequest};
use ports::{Page, Position, Tenant, Unavailable};

use crate::{Error, Ports};

use super::cursor;

/// Number of items in one query: the usual page, and one item more.
const STRIDE: u16 = 21;
/// Maximum number of bill lines on a page, unless the first item has more: a bill has one line or a thousand, and the
/// size of a response needs a limit.
const LINES: usize = 2_000;

/// One part of a list.
#[derive(Clone, Debug)]
pub struct ListPage<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// Whether further items follow.
    pub has_more: bool,
    /// Cursor of the next page. After the last page, the cursor of the last item, or the position of the request.
    pub next_cursor: String,
}

/// Returns the query of a page: one item more than shown tells `has_more`.
pub(crate) fn page(ports: &Ports, tenant: &Tenant, request: &PageRequest) -> Result<Page, Refusal> {
    let read = |text: &String| cursor::read(ports, tenant, &request.filters, text);
    let after = request.cursor.as_ref().map(read).transpose()?;
    Ok(Page { after, limit: request.limit.saturating_add(1) })
}

/// Returns a page of a list whose items have many bill lines each: `read` runs one query.
pub(crate) async fn list<T, Read>(
    ports: &Ports,
    tenant: &Tenant,
    request: &PageRequest,
    read: impl Fn(Page) -> Read,
    lines: impl Fn(&T) -> usize,
    position: impl Fn(&T) -> Position,
) -> Result<ListPage<T>, Error>
where
    Read: Future<Output = Result<Vec<T>, Unavailable>>,
{
    let page = page(ports, tenant, request)?;
    let gathered = gather(&page, read, lines, &position).await?;
    Ok(listed(ports, tenant, request, page, gathered, position))
}

/// The items that were read for a page.
pub(crate) struct Gathered<T> {
    items: Vec<T>,
    /// Whether the page ended before the limit of the request.
    is_cut: bool,
}

impl<T> From<Vec<T>> for Gathered<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, is_cut: false }
    }
}

/// Reads `page` in several queries, up to the limit.
async fn gather<T, Read>(
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

/// The part that the store's response determines.
pub(crate) fn listed<T>(
    ports: &Ports,
    tenant: &Tenant,
    request: &PageRequest,
    page: Page,
    gathered: impl Into<Gathered<T>>,
    position: impl Fn(&T) -> Position,
) -> ListPage<T> {
    let Gathered { mut items, is_cut } = gathered.into();
    let has_more = is_cut || items.len() > usize::from(request.limit);
    items.truncate(usize::from(request.limit));
    let beginning = || Position { created_at: DateTime::<Utc>::MAX_UTC, id: "~".to_owned() };
    let place = items.last().map(position).or(page.after).unwrap_or_else(beginning);
    ListPage { items, has_more, next_cursor: cursor::write(ports, tenant, &request.filters, &place) }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use testkit::sample;

    use super::*;

    /// A store of `stored` items, newest first, that records the limits of queries.
    async fn gathered(stored: u32, limit: u16, lines: usize) -> (usize, bool, Vec<u16>) {
        let request = RefCell::new(Vec::new());
        let position = |n: &u32| Position { created_at: sample::noon(), id: n.to_string() };
        let read = async |page: Page| {
            request.borrow_mut().push(page.limit);
            let from = page.after.map_or(0, |it| it.id.parse::<u32>().unwrap() + 1);
            Ok((from..stored).take(page.limit.into()).collect())
        };
        let page = Page { after: None, limit };
        let Gathered { items, is_cut } = gather(&page, read, |_| lines, position).await.unwrap();
        assert!(items.iter().enumerate().all(|(at, n)| u32::try_from(at).unwrap() == *n), "{items:?}");
        (items.len(), is_cut, request.into_inner())
    }

    #[tokio::test]
    async fn a_page_is_read_in_several_queries_up_to_its_limit() {
        assert_eq!(gathered(500, 21, 1).await, (21, false, vec![21]));
        assert_eq!(gathered(500, 101, 1).await, (101, false, vec![21, 21, 21, 21, 17]));
        assert_eq!(gathered(42, 101, 1).await, (42, false, vec![21, 21, 21]));
        assert_eq!(gathered(0, 101, 1).await, (0, false, vec![21]));
    }

    #[tokio::test]
    async fn a_page_of_long_bills_ends_at_the_maximum_of_lines() {
        assert_eq!(gathered(500, 101, 1000).await, (2, true, vec![21]));
        assert_eq!(gathered(500, 101, 90).await, (22, true, vec![21, 21]));
        // A page has at least one item, or the list could not continue.
        assert_eq!(gathered(500, 21, 3000).await, (1, true, vec![21]));
    }
}
