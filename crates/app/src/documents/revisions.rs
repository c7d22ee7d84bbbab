use domain::{rights::Right, sale::Sale};
use ports::{Page, Position, Revision};

use super::get_fiscal_document;
use crate::{
    Caller, Error, ListPage, PageRequest, Ports,
    lists::page,
    lists::{gather, listed},
};

/// The sale of a document, and what the document was before it was corrected, the newest revision first.
pub async fn list_revisions(
    ports: &Ports,
    caller: &Caller,
    id: &str,
    asked: &PageRequest,
) -> Result<ListPage<Sale>, Error> {
    caller.may(Right::RevisionsRead)?;
    let sale = get_fiscal_document(ports, caller, id).await?;
    let tenant = caller.tenant();
    let page = page(ports, &tenant, asked)?;
    let document = &sale.document.facts.id;
    let lines = |it: &Revision| it.document.content().lines.len();
    let read = async |page: Page| ports.search.revisions(&tenant, document, &page).await;
    let revisions = gather(&page, read, lines, Position::of_revision).await?;
    let ListPage { items, has_more, next_cursor } =
        listed(ports, &tenant, asked, page, revisions, Position::of_revision);
    let of_sale = |it: Revision| Sale { payment: sale.payment.clone(), document: it.document };
    Ok(ListPage { items: items.into_iter().map(of_sale).collect(), has_more, next_cursor })
}
