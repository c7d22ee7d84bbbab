use crate::{
    Response, Caller, Error, IdempotentRequest, Ports,
    outcome::RenderSale,
    split::{Command, carry_out},
};

/// Gives up a sale, and with it its document. What several payers have reserved is given free, as
/// soon as the provider can be reached.
pub async fn cancel_payment(
    ports: &Ports,
    caller: &Caller,
    keyed: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.merchant()?;
    let command = Command { payment, decision: &|sale, now| Ok(sale.cancel(now)?), is_taken_back: false };
    carry_out(ports, caller, keyed, command, render).await
}
