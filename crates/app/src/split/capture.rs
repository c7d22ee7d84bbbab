use domain::{rights::Right, sale::Sale};

use super::{Command, carry_out, split_of};
use crate::{Answer, Caller, Error, Keyed, Ports, outcome::RenderSale, readiness};

/// Captures every part that is reserved.
pub async fn capture_split(
    ports: &Ports,
    caller: &Caller,
    keyed: &Keyed,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Answer, Error> {
    caller.may(Right::SplitsCommand)?;
    let setup = ports.merchants.setup(&caller.tenant()).await?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.begin_capture(&readiness::of_sale(ports, sale, &setup)?, now)?)
    };
    let command = Command { payment, decision: &decision, is_taken_back: true };
    carry_out(ports, caller, keyed, command, render).await
}
