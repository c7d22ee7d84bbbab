use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{Rendered, request_delivery};
use domain::{credential::Scope, fiscal::DocumentEmail};
use wire::{DocumentEmailResponse, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.merchant_or(&[Scope::Receipt])?;
    let Command { keyed, content, .. } = call.command(body, wire::request_delivery::parse).await?;
    let document = call.segment("id").to_owned();
    let state = call.state();
    let requested = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |it: &DocumentEmail| Rendered {
            status: StatusCode::ACCEPTED.as_u16(),
            etag: None,
            body: to_bytes(&DocumentEmailResponse::queued_for(&it.email)),
        };
        request_delivery(&state.ports, &caller, &keyed, &document, content.recipient_email, &render).await
    });
    Ok(answer::given(requested.await?))
}
