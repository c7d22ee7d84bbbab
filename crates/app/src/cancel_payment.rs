use crate::{
    Answer, Caller, Error, Keyed, Ports,
    command::{Named, decide},
    outcome::RenderSale,
};

/// Gives up a sale, and with it its document.
pub async fn cancel_payment(
    ports: &Ports,
    caller: &Caller,
    keyed: &Keyed,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Answer, Error> {
    caller.merchant()?;
    decide(ports, caller, keyed, Named::Payment(payment), &|sale, now| Ok(sale.cancel(now)?), render).await
}
