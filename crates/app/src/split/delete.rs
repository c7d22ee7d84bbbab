use domain::{rights::Right, sale::Sale};

use super::split_of;
use crate::{
    Answer, Caller, Error, Keyed, Ports,
    command::{Named, decide},
    outcome::RenderSale,
};

/// Makes a split payment whole again, while no share was touched.
pub async fn delete_split(
    ports: &Ports,
    caller: &Caller,
    keyed: &Keyed,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Answer, Error> {
    caller.may(Right::SplitsCommand)?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.delete_split(now)?)
    };
    decide(ports, caller, keyed, Named::Payment(payment), &decision, render).await
}
