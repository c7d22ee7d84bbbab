use domain::{credential::Scope, sale::Sale};

use super::split_of;
use crate::{
    Response, Caller, Error, IdempotentRequest, Ports,
    command::{Named, decide},
    outcome::RenderSale,
};

/// Makes a split payment whole again, while no share was touched.
pub async fn delete_split(
    ports: &Ports,
    caller: &Caller,
    keyed: &IdempotentRequest,
    payment: &str,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    caller.merchant_or(&[Scope::Organizer])?;
    let decision = |sale: &mut Sale, now| {
        split_of(sale)?;
        Ok(sale.delete_split(now)?)
    };
    decide(ports, caller, keyed, Named::Payment(payment), &decision, render).await
}
