use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{CreatePayment, create_payment};
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
    caller.trading_merchant()?;
    let Command { keyed, content: draft, account, provider } = call.creation(body, wire::create_payment::parse).await?;
    let state = call.state();
    let created = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |sale: &Sale, now| {
            answer::of_sale(StatusCode::CREATED, sale, to_bytes(&PaymentResponse::full(sale, &state.urls, now)))
        };
        create_payment(&state.ports, &caller, &keyed, CreatePayment { draft, account, provider }, &render).await
    });
    Ok(answer::given(created.await?))
}
