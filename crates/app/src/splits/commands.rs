//! Commands about a split as a whole.

use domain::{rights::Right, sale::Sale};

use super::{
    execute::{Command, execute_command},
    get::split_of,
    run_calls::IfNotSubmitted,
};
use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{SaleName, decide},
    merchants::readiness,
};

/// Captures every part that is reserved.
pub async fn capture_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::SplitsCommand)?;
    let setup = ports.merchants.setup(&caller.tenant()).await?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.begin_capture(&readiness::of_sale(ports, sale, &setup)?, now)?)
    };
    let command = Command { payment, decision: &decision, if_not_submitted: IfNotSubmitted::UndoDecision };
    execute_command(ports, caller, request, command, render).await
}

/// Ends a split without further captures, and releases the reserved funds.
pub async fn release_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::SplitsCommand)?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.release(now)?)
    };
    let command = Command { payment, decision: &decision, if_not_submitted: IfNotSubmitted::UndoDecision };
    execute_command(ports, caller, request, command, render).await
}

/// Removes the split of a payment, while no share was touched.
pub async fn delete_split(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.may(Right::SplitsCommand)?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.delete_split(now)?)
    };
    decide(ports, caller, request, SaleName::Payment(payment), &decision, render).await
}
