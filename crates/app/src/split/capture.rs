use domain::{credential::Scope, sale::Sale};

use super::{Command, carry_out, split_of};
use crate::{Response, Caller, Error, IdempotentRequest, Ports, outcome::RenderSale, readiness};

/// Captures every part that is reserved.
pub async fn capture_split(
    ports: &Ports,
    caller: &Caller,
    keyed: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.merchant_or(&[Scope::Organizer])?;
    let setup = ports.merchants.setup(&caller.tenant()).await?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.begin_capture(&readiness::of_sale(ports, sale, &setup)?, now)?)
    };
    let command = Command { payment, decision: &decision, is_taken_back: true };
    carry_out(ports, caller, keyed, command, render).await
}
