use domain::{credential::Scope, sale::Sale};

use super::{Command, carry_out, split_of};
use crate::{Response, Caller, Error, IdempotentRequest, Ports, outcome::RenderSale};

/// Gives up what is not captured, and gives free what is reserved.
pub async fn release_split(
    ports: &Ports,
    caller: &Caller,
    keyed: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.merchant_or(&[Scope::Organizer])?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.release(now)?)
    };
    let command = Command { payment, decision: &decision, is_taken_back: true };
    carry_out(ports, caller, keyed, command, render).await
}
