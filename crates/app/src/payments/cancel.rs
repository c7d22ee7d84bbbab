use domain::rights::Right;

use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    splits::execute::{Command, execute_command},
    splits::run_calls::IfNotSubmitted,
};

/// Cancels a sale with the document. Reserved shares are released as soon as the provider can be reached.
pub async fn cancel_payment(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::PaymentsCancel)?;
    let if_not_submitted = IfNotSubmitted::KeepDecision;
    let command = Command { payment, decision: &|sale, now| Ok(sale.cancel(now)?), if_not_submitted };
    execute_command(ports, caller, request, command, render).await
}
