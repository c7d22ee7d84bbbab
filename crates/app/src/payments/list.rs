use domain::{rights::Right, sale::Sale};
use ports::{Page, Position, SaleFilter};

use crate::{
    Caller, Error, ListPage, PageRequest, Ports,
    lists::page,
    lists::{gather, listed},
};

/// A merchant's payments, newest first.
pub async fn list_payments(
    ports: &Ports,
    caller: &Caller,
    filter: SaleFilter,
    asked: &PageRequest,
) -> Result<ListPage<Sale>, Error> {
    caller.may(Right::PaymentsList)?;
    let tenant = caller.tenant();
    let page = page(ports, &tenant, asked)?;
    let filter = SaleFilter { accounts: caller.accounts().to_vec(), ..filter };
    let position = |it: &Sale| Position::of(it.payment.facts.created_at, &it.payment.facts.id);
    let lines = |it: &Sale| it.document.content().lines.len();
    let read = async |page: Page| ports.search.search(&tenant, &filter, &page).await;
    let sales = gather(&page, read, lines, position).await?;
    Ok(listed(ports, &tenant, asked, page, sales, position))
}
