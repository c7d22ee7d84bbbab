use domain::{Symbols, sale::Sale};

use crate::{Caller, Error, NotFound, Ports};

/// Looks a payment up, for its merchant or for the holder of one of its tokens.
pub async fn get_payment(ports: &Ports, caller: &Caller, id: &str) -> Result<Sale, Error> {
    let id = caller.payment_named(id)?;
    let sale = ports.sales.find(&caller.tenant(), &id).await?;
    let sale = sale.ok_or(Error::NotFound(NotFound::PaymentNotFound, Some("paymentId")))?;
    caller.may_use(&sale.payment.facts.account)?;
    Ok(sale)
}

/// Looks a payment up by the secret in the address of its checkout page.
pub async fn get_payment_by_link(ports: &Ports, link: &str) -> Result<Option<Sale>, Error> {
    let Some(link) = Symbols::parse(link) else { return Ok(None) };
    Ok(ports.sales.find_by_link(&link).await?)
}
