use domain::{Split, rights::Right, sale::Sale};

use crate::{Caller, Error, NotFound, Ports, payments::get_payment};

/// Returns a payment that has a split.
pub async fn get_split(ports: &Ports, caller: &Caller, payment: &str) -> Result<Sale, Error> {
    caller.may(Right::SplitsRead)?;
    let sale = get_payment(ports, caller, payment).await?;
    split_of(&sale)?;
    Ok(sale)
}

/// Returns one part of a split, by the ordinal in the path.
pub async fn get_part(ports: &Ports, caller: &Caller, payment: &str, ordinal: &str) -> Result<(Sale, u8), Error> {
    let sale = get_split(ports, caller, payment).await?;
    // The canonical form of a number only: no sign, no leading zero.
    let part = split_of(&sale)?.parts().iter().find(|it| it.ordinal.to_string() == ordinal);
    let ordinal = part.ok_or(NotFound::PaymentPartNotFound.at("ordinal"))?.ordinal;
    Ok((sale, ordinal))
}

/// Returns the split of a sale.
pub(crate) fn split_of(sale: &Sale) -> Result<&Split, Error> {
    sale.payment.split().ok_or(NotFound::PaymentSplitNotFound.into())
}
