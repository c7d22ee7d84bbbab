use domain::{Split, rights::Right, sale::Sale};

use crate::{Caller, Error, NotFound, Ports, payments::get_payment};

/// Looks up how a payment is shared.
pub async fn get_split(ports: &Ports, caller: &Caller, payment: &str) -> Result<Sale, Error> {
    caller.may(Right::SplitsRead)?;
    let sale = get_payment(ports, caller, payment).await?;
    split_of(&sale)?;
    Ok(sale)
}

/// Looks up one part of a split, by its ordinal as named in the path.
pub async fn get_part(ports: &Ports, caller: &Caller, payment: &str, ordinal: &str) -> Result<(Sale, u8), Error> {
    let sale = get_split(ports, caller, payment).await?;
    // One way to write a number: no sign, no zero ahead of it.
    let part = split_of(&sale)?.parts().iter().find(|it| it.ordinal.to_string() == ordinal);
    let ordinal = part.ok_or(Error::NotFound(NotFound::PaymentPartNotFound, Some("ordinal")))?.ordinal;
    Ok((sale, ordinal))
}

/// The split of a sale.
pub(crate) fn split_of(sale: &Sale) -> Result<&Split, Error> {
    sale.payment.split().ok_or(Error::NotFound(NotFound::PaymentSplitNotFound, None))
}
