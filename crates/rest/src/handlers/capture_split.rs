use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::capture_split;
use domain::credential::Scope;

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Organizer])?;
    let Command { keyed, .. } = call.command(body, wire::empty_body::parse).await?;
    let payment = call.segment("paymentId").to_owned();
    let state = call.state();
    let captured = to_its_end(Lease::of(&state, &keyed), async move {
        let render = answer::payment_to(&caller, StatusCode::OK, &state.urls);
        capture_split(&state.ports, &caller, &keyed, &payment, &render).await
    });
    Ok(answer::given(captured.await?))
}
