use actix_web::HttpResponse;
use app::{View, get_payment};
use wire::{PaymentResponse, to_bytes};

use crate::{answer, call::Call, problem::Problem};

pub(crate) async fn handler(call: Call) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    call.is_only_path()?;
    let state = call.state();
    let sale = get_payment(&state.ports, &caller, call.segment("paymentId")).await?;
    let now = state.ports.clock.now();
    let body = match caller.view() {
        View::Full => to_bytes(&PaymentResponse::full(&sale, &state.urls, now)),
        View::Checkout => to_bytes(&PaymentResponse::checkout(&sale, &state.urls, now)),
    };
    Ok(answer::read(Some(answer::etag(&sale)), body))
}
