use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::cancel_payment;
use domain::sale::Sale;
use wire::{PaymentResponse, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant()?;
    let Command { keyed, .. } = call.command(body, wire::cancel_payment::parse).await?;
    let payment = call.segment("paymentId").to_owned();
    let state = call.state();
    let canceled = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |sale: &Sale, now| {
            answer::of_sale(StatusCode::OK, sale, to_bytes(&PaymentResponse::full(sale, &state.urls, now)))
        };
        cancel_payment(&state.ports, &caller, &keyed, &payment, &render).await
    });
    Ok(answer::given(canceled.await?))
}
