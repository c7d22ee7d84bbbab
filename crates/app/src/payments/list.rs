use domain::{rights::Right, sale::Sale};
use ports::{Page, Position, SaleFilter};

use crate::{Caller, Error, ListPage, PageRequest, Ports, lists::list};

/// A merchant's payments, newest first.
pub async fn list_payments(
    ports: &Ports,
    caller: &Caller,
    filter: SaleFilter,
    request: &PageRequest,
) -> Result<ListPage<Sale>, Error> {
    caller.may(Right::PaymentsList)?;
    let tenant = caller.tenant();
    let filter = SaleFilter { accounts: caller.accounts().to_vec(), ..filter };
    let position = |it: &Sale| Position::of(it.payment.facts.created_at, &it.payment.facts.id);
    let lines = |it: &Sale| it.document.content().lines.len();
    let read = async |page: Page| ports.search.search(&tenant, &filter, &page).await;
    list(ports, &tenant, request, read, lines, position).await
}
