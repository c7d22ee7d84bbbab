use actix_web::HttpResponse;
use app::{Error, get_split};
use domain::credential::Scope;
use wire::{PaymentSplitResponse, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Pay, Scope::Organizer])?;
    call.is_only_path()?;
    let sale = get_split(&call.state().ports, &caller, call.segment("paymentId")).await?;
    let split =
        PaymentSplitResponse::of(&sale).ok_or_else(|| Error::internal("a sale that was found as split is whole"))?;
    Ok(answer::read(Some(answer::etag(&sale)), to_bytes(&split)))
}
