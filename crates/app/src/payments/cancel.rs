use domain::rights::Right;

use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    splits::execute::{Command, execute_command},
};

/// Gives up a sale, and with it its document. What several payers have reserved is given free, as
/// soon as the provider can be reached.
pub async fn cancel_payment(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::PaymentsCancel)?;
    let command = Command { payment, decision: &|sale, now| Ok(sale.cancel(now)?), is_taken_back: false };
    execute_command(ports, caller, request, command, render).await
}
