use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use app::{EventRecord, Rendered, webhooks::test_webhook_endpoint};
use wire::{EventPayload, to_bytes};

use crate::{
    answer,
    call::Call,
    command::Command,
    detached::{Lease, to_its_end},
    problem::Problem,
};

pub(crate) async fn handler(call: Call, body: Payload) -> Result<HttpResponse, Problem> {
    let caller = call.caller().await?;
    caller.admin()?;
    let Command { keyed, .. } = call.command(body, wire::empty_body::parse).await?;
    let id = call.segment("id").to_owned();
    let state = call.state();
    let tested = to_its_end(Lease::of(&state, &keyed), async move {
        let render = |event: &EventRecord| Rendered {
            status: StatusCode::ACCEPTED.as_u16(),
            etag: None,
            body: to_bytes(&EventPayload::new(event, &state.urls)),
        };
        test_webhook_endpoint(&state.ports, &caller, &keyed, &id, &render).await
    });
    Ok(answer::given(tested.await?))
}
