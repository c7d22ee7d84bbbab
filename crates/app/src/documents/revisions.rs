use domain::{rights::Right, sale::Sale};
use ports::{Page, Position, Revision};

use super::get_fiscal_document;
use crate::{Caller, Error, ListPage, PageRequest, Ports, lists::list};

/// Returns the sale of a document with each earlier revision of the document, newest first.
pub async fn list_revisions(
    ports: &Ports,
    caller: &Caller,
    id: &str,
    request: &PageRequest,
) -> Result<ListPage<Sale>, Error> {
    caller.may(Right::RevisionsRead)?;
    let sale = get_fiscal_document(ports, caller, id).await?;
    let tenant = caller.tenant();
    let document = &sale.document.facts.id;
    let lines = |it: &Revision| it.document.content().lines.len();
    let read = async |page: Page| ports.search.revisions(&tenant, document, &page).await;
    let ListPage { items, has_more, next_cursor } =
        list(ports, &tenant, request, read, lines, Position::of_revision).await?;
    let of_sale = |it: Revision| Sale { payment: sale.payment.clone(), document: it.document };
    Ok(ListPage { items: items.into_iter().map(of_sale).collect(), has_more, next_cursor })
}
