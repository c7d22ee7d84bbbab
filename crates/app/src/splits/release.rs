use domain::{rights::Right, sale::Sale};

use super::{
    execute::{Command, execute_command},
    get::split_of,
};
use crate::{Caller, Error, IdempotentRequest, Ports, RenderSale, Response};

/// Gives up what is not captured, and gives free what is reserved.
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
    let command = Command { payment, decision: &decision, is_taken_back: true };
    execute_command(ports, caller, request, command, render).await
}
