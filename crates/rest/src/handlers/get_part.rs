use actix_web::HttpResponse;
use app::{Error, get_part};
use domain::credential::Scope;
use wire::{PaymentPartResponse, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Pay, Scope::Organizer])?;
    call.is_only_path()?;
    let (payment, ordinal) = (call.segment("paymentId"), call.segment("ordinal"));
    let state = call.state();
    let (sale, ordinal) = get_part(&state.ports, &caller, payment, ordinal).await?;
    let part = PaymentPartResponse::of(&sale, ordinal, &state.urls)
        .ok_or_else(|| Error::internal("a part that was found is gone"))?;
    Ok(answer::read(Some(answer::etag(&sale)), to_bytes(&part)))
}
