use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::choose_fiscal_document;
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
    caller.merchant_or(&[Scope::Pay, Scope::Organizer])?;
    let Command { keyed, content, .. } = call.command(body, wire::choose_fiscal_document::parse).await?;
    let payment = call.segment("paymentId").to_owned();
    let state = call.state();
    let chosen = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |sale: &Sale, now| {
            answer::of_sale(StatusCode::OK, sale, to_bytes(&PaymentResponse::checkout(sale, &state.urls, now)))
        };
        choose_fiscal_document(&state.ports, &caller, &keyed, &payment, content, &render).await
    });
    Ok(answer::given(chosen.await?))
}
