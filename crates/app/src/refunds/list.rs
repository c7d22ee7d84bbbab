use domain::{refund::RefundRecord, rights::Right};
use ports::{Page, Position, RefundFilter};

use crate::{Caller, Error, ListPage, PageRequest, Ports, lists::list};

/// Returns a page of a merchant's refunds, newest first.
pub async fn list_refunds(
    ports: &Ports,
    caller: &Caller,
    filter: RefundFilter,
    request: &PageRequest,
) -> Result<ListPage<RefundRecord>, Error> {
    caller.may(Right::RefundsRead)?;
    let tenant = caller.tenant();
    let filter = RefundFilter { accounts: caller.accounts().to_vec(), ..filter };
    let read = async |page: Page| ports.refunds.search(&tenant, &filter, &page).await;
    list(ports, &tenant, request, read, lines, position).await
}

/// Returns the number of lines in the refund and in its credit note.
fn lines(record: &RefundRecord) -> usize {
    let of_note = record.note.as_ref().map_or(0, |note| note.content().lines.len());
    let of_refund = record.refund.state().note.as_ref().map_or(0, |note| note.lines.len());
    of_note.saturating_add(of_refund)
}

fn position(record: &RefundRecord) -> Position {
    let facts = &record.refund.facts;
    Position { created_at: facts.created_at, id: facts.id.as_str().to_owned() }
}
