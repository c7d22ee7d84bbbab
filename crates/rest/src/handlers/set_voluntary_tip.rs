use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::set_voluntary_tip;
use domain::{credential::Scope, sale::Sale};
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
    caller.holder(&[Scope::Pay, Scope::Organizer])?;
    let Command { keyed, content, .. } = call.command(body, wire::set_voluntary_tip::parse).await?;
    let payment = call.segment("paymentId").to_owned();
    let state = call.state();
    let tipped = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |sale: &Sale, now| {
            answer::of_sale(StatusCode::OK, sale, to_bytes(&PaymentResponse::checkout(sale, &state.urls, now)))
        };
        set_voluntary_tip(&state.ports, &caller, &keyed, &payment, content, &render).await
    });
    Ok(answer::given(tipped.await?))
}
