use domain::{rights::Right, sale::Sale};

use super::get::split_of;
use crate::{
    Caller, Error, IdempotentRequest, Ports, RenderSale, Response,
    command::{Named, decide},
};

/// Makes a split payment whole again, while no share was touched.
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
    decide(ports, caller, request, Named::Payment(payment), &decision, render).await
}
