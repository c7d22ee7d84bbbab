use domain::sale::Sale;

use crate::{Caller, Error, NotFound, Ports};

/// Returns a payment, for its merchant or for the holder of a checkout token.
pub async fn get_payment(ports: &Ports, caller: &Caller, id: &str) -> Result<Sale, Error> {
    let id = caller.payment_named(id)?;
    let sale = ports.sales.find(&caller.tenant(), &id).await?;
    let sale = sale.ok_or(Error::NotFound(NotFound::PaymentNotFound, Some("paymentId")))?;
    caller.may_use(&sale.payment.facts.account)?;
    Ok(sale)
}
