use domain::sale::Sale;
use ports::{Position, SaleFilter};

use crate::{
    Caller, Error, Ports,
    list::{Listed, PageRequest, listed, page},
};

/// A merchant's payments, newest first.
pub async fn list_payments(
    ports: &Ports,
    caller: &Caller,
    filter: SaleFilter,
    asked: &PageRequest,
) -> Result<Listed<Sale>, Error> {
    let key = caller.merchant()?;
    let tenant = caller.tenant();
    let page = page(ports, &tenant, asked)?;
    let filter = SaleFilter { accounts: key.accounts.clone(), ..filter };
    let sales = ports.search.search(&tenant, &filter, &page).await?;
    let position = |it: &Sale| Position::of(it.payment.facts.created_at, &it.payment.facts.id);
    Ok(listed(ports, &tenant, asked, page, sales, position))
}
