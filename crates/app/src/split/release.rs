use domain::{rights::Right, sale::Sale};

use super::{Command, carry_out, split_of};
use crate::{Answer, Caller, Error, Keyed, Ports, outcome::RenderSale};

/// Gives up what is not captured, and gives free what is reserved.
pub async fn release_split(
    ports: &Ports,
    caller: &Caller,
    keyed: &Keyed,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Answer, Error> {
    caller.may(Right::SplitsCommand)?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.release(now)?)
    };
    let command = Command { payment, decision: &decision, is_taken_back: true };
    carry_out(ports, caller, keyed, command, render).await
}
